/** Compares Mayfly, async-profiler and JFR side by side. */
module mayfly.bench {
    requires java.management;
    requires static org.jspecify;
    requires jdk.attach;
    requires jdk.jfr;
    requires mayfly.attach;
    requires mayfly.hotspot;
    requires mayfly.kit;
    requires mayfly.linux;
    requires mayfly.profile;
    requires mayfly.record;
    requires mayfly.runtime;
    requires mayfly.stack;
    requires mayfly.discovery;
    requires mayfly.api;
}
