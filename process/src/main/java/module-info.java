/** A target process, as interfaces: its memory, its mappings, its threads, its registers and its files. */
module mayfly.process {
    requires static org.jspecify;
    requires mayfly.arch;

    exports mayfly.process;
    exports mayfly.process.replay;
}
