/** Conversions of a capture, one package per output format. */
module mayfly.report {
    requires static org.jspecify;
    requires mayfly.profile;

    exports mayfly.report;
    exports mayfly.report.json;
    exports mayfly.report.text;
    exports mayfly.report.tree;
}
