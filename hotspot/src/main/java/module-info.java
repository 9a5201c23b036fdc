/**
 * A HotSpot JVM as a managed runtime, read from outside: VM structures, code cache, methods, scopes, line tables, and a
 * stepper for each kind of frame.
 */
module mayfly.hotspot {
    requires static org.jspecify;
    requires mayfly.arch;
    requires mayfly.runtime;
    requires mayfly.process;
    requires mayfly.profile;

    exports mayfly.hotspot;
    exports mayfly.hotspot.code;
    exports mayfly.hotspot.frames;
    exports mayfly.hotspot.inventory;
    exports mayfly.hotspot.tables;
    exports mayfly.hotspot.threads;
}
