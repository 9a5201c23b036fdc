/** The trigger: brings a profiler into a running JVM, speaks to it, and sees that it is gone; and the audit of what could be left. */
module mayfly.attach {
    requires static org.jspecify;
    requires mayfly.api;
    requires mayfly.binary;
    requires mayfly.host;
    requires mayfly.hotspot;
    requires mayfly.linux;
    requires mayfly.process;
    requires mayfly.profile;
    requires mayfly.runtime;
    requires mayfly.wire;

    exports mayfly.attach;
    exports mayfly.attach.audit;
}
