/**
 * The client side of profilers: attaches a profiler to a running JVM, communicates with it, and verifies its removal.
 */
module mayfly.attach {
    requires static org.jspecify;
    requires mayfly.api;
    requires mayfly.discovery;
    requires mayfly.host;
    requires mayfly.linux;
    requires mayfly.process;
    requires mayfly.profile;
    requires mayfly.runtime;
    requires mayfly.unwind;
    requires mayfly.wire;

    exports mayfly.attach.channel;
    exports mayfly.attach.client;
    exports mayfly.attach.launch;
}
