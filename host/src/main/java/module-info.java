/** The part of Mayfly that is loaded into a target while a profiler is attached to it. */
module mayfly.host {
    requires mayfly.api;
    requires static java.management;
    requires static mayfly.wire;
    requires static org.jspecify;
    requires org.objectweb.asm;

    exports mayfly.host to
            mayfly.attach;
}
