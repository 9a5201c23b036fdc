/** What lives in a target while a profiler is attached to it. */
module mayfly.host {
    requires mayfly.api;
    requires static org.jspecify;

    exports mayfly.host to mayfly.attach;
}
