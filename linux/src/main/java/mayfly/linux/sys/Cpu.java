package mayfly.linux.sys;

import mayfly.linux.abi.Abi;
import mayfly.linux.x86.X86Abi;

/** The CPU of this machine, and so of the processes that it runs. */
public final class Cpu {
    /** Chosen here only: all other classes use this constant. */
    public static final Abi ABI = X86Abi.ABI;

    private Cpu() {}

    /** Returns true if this machine has the CPU of {@link #ABI}. On another CPU, its numbers are wrong. */
    public static boolean isSupported() {
        return System.getProperty("os.arch", "").equals(ABI.osArch());
    }
}
