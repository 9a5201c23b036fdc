/** The API for authors of profilers. */
module mayfly.api {
    exports mayfly.api;
    exports mayfly.api.event;
    exports mayfly.api.code;
    exports mayfly.api.heap;
    exports mayfly.api.thread;
    exports mayfly.api.probe;
}
