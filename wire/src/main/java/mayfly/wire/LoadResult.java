package mayfly.wire;

/** The return codes of the host library's {@code Agent_OnAttach}. */
public final class LoadResult {
    public static final int ATTACHED = 4242;
    public static final int ALREADY_ACTIVE = -20;
    public static final int BAD_OPTIONS = -22;
    public static final int EXPIRED = -110;
    public static final int NO_UNLOADING = -1000;
    public static final int OTHER_RUNTIME = -1001;
    public static final int SECURITY_MANAGER = -1002;
    /** This value minus an errno, from 1 to {@link #MAX_ERRNO}: a system call failed. */
    public static final int NOT_OPENED = -2000;
    /** The largest errno of Linux, include/linux/err.h. */
    public static final int MAX_ERRNO = 4095;

    private LoadResult() {}
}
