/** What the author of a profiler compiles against. */
module mayfly.api {
    exports mayfly.api;
}
