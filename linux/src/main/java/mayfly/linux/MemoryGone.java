package mayfly.linux;

import java.io.IOException;

/**
 * Thrown if a process has no memory. It is ending, or its first thread has ended: the kernel shows the memory of a
 * process through that thread. In an execve(2) by another thread, this lasts until all other threads have ended.
 */
public final class MemoryGone extends IOException {
    private static final long serialVersionUID = 1;

    MemoryGone(int pid) {
        super("process " + pid + " has no memory any more");
    }
}
