/** The trigger: brings a profiler into a running JVM, speaks to it, and sees that it is gone. */
module mayfly.attach {
    requires static org.jspecify;
    requires transitive mayfly.api;
    requires jdk.net;
    requires mayfly.host;
    requires mayfly.linux;
    requires mayfly.process;

    exports mayfly.attach;
}
