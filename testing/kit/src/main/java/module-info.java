/** JVM launchers, handshakes and assertions for tests that start real JVMs. */
module mayfly.kit {
    requires static org.jspecify;

    exports mayfly.kit;
}
