/** Conversions of a capture, one package per output format. */
module mayfly.report {
    requires static org.jspecify;
    requires transitive mayfly.profile;

    exports mayfly.report;
}
