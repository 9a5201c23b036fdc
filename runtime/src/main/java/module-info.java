/** The interface of a managed runtime. */
module mayfly.runtime {
    requires static org.jspecify;
    requires mayfly.process;
    requires mayfly.profile;

    exports mayfly.runtime;
}
