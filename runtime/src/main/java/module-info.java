/** What any managed runtime answers, as interfaces. */
module mayfly.runtime {
    requires static org.jspecify;
    requires transitive mayfly.process;
    requires transitive mayfly.profile;

    exports mayfly.runtime;
}
