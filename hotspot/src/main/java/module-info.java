/**
 * A HotSpot JVM as a managed runtime, read from outside: VM structures, code cache, methods, scopes, line tables, and a
 * stepper for each of its kinds of frame.
 */
module mayfly.hotspot {
    requires static org.jspecify;
    requires transitive mayfly.runtime;
    requires transitive mayfly.process;
    requires transitive mayfly.profile;

    exports mayfly.hotspot;
}
