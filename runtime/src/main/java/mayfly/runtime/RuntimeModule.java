package mayfly.runtime;

import org.jspecify.annotations.Nullable;

/** A file with code in a target process that may be the library of a runtime. */
public interface RuntimeModule {

    /** Returns the last part of its path, without the kernel's suffix for a deleted file. */
    String name();

    /** Returns its path in the target's own file system, as the kernel reports it: untrusted text. */
    String path();

    /** Returns the start address of its first mapping. */
    long start();

    /** Returns its symbols; null if they cannot be read. */
    @Nullable
    ModuleSymbols symbols();

    /**
     * Returns the function that contains an address, by the file's call-frame information, which stripped files have
     * too. Returns null if there is none.
     */
    @Nullable
    AddressRange functionAt(long address);

    /** Returns the reason why its symbols cannot be read; empty if they can, or if nothing has been read yet. */
    String problem();
}
