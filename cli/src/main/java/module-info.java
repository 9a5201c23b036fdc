/** The commands: the only main, the only printing, the only exit codes. */
module mayfly.cli {
    requires static org.jspecify;
    requires jdk.unsupported;
    requires info.picocli;
    requires mayfly.attach;
    requires mayfly.sampler;
    requires mayfly.report;
    requires mayfly.profile;

    opens mayfly.cli to info.picocli;
}
