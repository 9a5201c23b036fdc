/** The numbers and layouts that cross the process boundary. */
module mayfly.wire {
    requires static org.jspecify;
    requires mayfly.api;

    exports mayfly.wire;
    exports mayfly.wire.launch;
    exports mayfly.wire.life;
    exports mayfly.wire.message;
}
