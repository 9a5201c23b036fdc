/** The numbers and layouts that cross a process border. */
module mayfly.wire {
    requires static org.jspecify;
    requires mayfly.api;

    exports mayfly.wire;
    exports mayfly.wire.launch;
    exports mayfly.wire.life;
}
