/**
 * A HotSpot JVM as a managed runtime, read from outside: VM structures, code cache, methods, scopes, line tables, and a
 * stepper for each kind of frame. Two packages are exported only to modules that test this one.
 */
@SuppressWarnings("module") // those modules are compiled later
module mayfly.hotspot {
    requires static org.jspecify;
    requires mayfly.arch;
    requires mayfly.runtime;
    requires mayfly.process;
    requires mayfly.profile;

    exports mayfly.hotspot;
    exports mayfly.hotspot.code to
            mayfly.bench;
    exports mayfly.hotspot.inventory;
    exports mayfly.hotspot.tables to
            mayfly.corpus;
}
