/** The command line. Only this module prints and sets exit codes. */
module mayfly.cli {
    requires static org.jspecify;
    requires jdk.unsupported;
    requires info.picocli;
    requires mayfly.api;
    requires mayfly.attach;
    requires mayfly.audit;
    requires mayfly.discovery;
    requires mayfly.linux;
    requires mayfly.profile;
    requires mayfly.record;
    requires mayfly.report;
    requires mayfly.stack;
}
