package mayfly.runtime;

import org.jspecify.annotations.Nullable;

/** A file with code in a traced process that may be the library of a runtime. */
public interface RuntimeModule {

    /** The last part of its path, without the kernel's mark of a deleted file. */
    String name();

    /** Its path in the target's own file system, as the kernel has it: untrusted text. */
    String path();

    /** Where its first mapping starts. */
    long start();

    /** Its symbols; null if they cannot be read. */
    @Nullable ModuleSymbols symbols();

    /** The reason why its symbols cannot be read; empty if they can, or if nothing has been read yet. */
    String problem();
}
