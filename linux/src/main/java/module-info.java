/** The only room with native access: one small class per kernel interface, and the live process made from them. */
module mayfly.linux {
    requires static org.jspecify;
    requires transitive mayfly.process;

    exports mayfly.linux;
}
