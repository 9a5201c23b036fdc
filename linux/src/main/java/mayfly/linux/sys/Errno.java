package mayfly.linux.sys;

import java.util.Map;

/** Numbers of errno(3) that this module distinguishes or prints, see asm-generic/errno.h. */
public final class Errno {
    public static final int EPERM = 1;
    public static final int ENOENT = 2;
    public static final int ESRCH = 3;
    public static final int EINTR = 4;
    static final int EIO = 5;
    static final int E2BIG = 7;
    public static final int EBADF = 9;
    static final int ECHILD = 10;
    public static final int EAGAIN = 11;
    public static final int ENOMEM = 12;
    public static final int EACCES = 13;
    public static final int EFAULT = 14;
    static final int EBUSY = 16;
    public static final int EEXIST = 17;
    static final int EXDEV = 18;
    static final int ENODEV = 19;
    static final int ENOTDIR = 20;
    public static final int EINVAL = 22;
    public static final int ENFILE = 23;
    public static final int EMFILE = 24;
    static final int ENOSPC = 28;
    static final int EROFS = 30;
    static final int ENAMETOOLONG = 36;
    public static final int ENOSYS = 38;
    static final int ELOOP = 40;
    static final int EOVERFLOW = 75;
    public static final int EOPNOTSUPP = 95;
    public static final int ECONNREFUSED = 111;
    static final int EDQUOT = 122;

    private static final Map<Integer, String> NAMES = Map.ofEntries(
            Map.entry(EPERM, "EPERM"),
            Map.entry(ENOENT, "ENOENT"),
            Map.entry(ESRCH, "ESRCH"),
            Map.entry(EINTR, "EINTR"),
            Map.entry(EIO, "EIO"),
            Map.entry(E2BIG, "E2BIG"),
            Map.entry(EBADF, "EBADF"),
            Map.entry(ECHILD, "ECHILD"),
            Map.entry(EAGAIN, "EAGAIN"),
            Map.entry(ENOMEM, "ENOMEM"),
            Map.entry(EACCES, "EACCES"),
            Map.entry(EFAULT, "EFAULT"),
            Map.entry(EBUSY, "EBUSY"),
            Map.entry(EEXIST, "EEXIST"),
            Map.entry(EXDEV, "EXDEV"),
            Map.entry(ENODEV, "ENODEV"),
            Map.entry(ENOTDIR, "ENOTDIR"),
            Map.entry(EINVAL, "EINVAL"),
            Map.entry(ENFILE, "ENFILE"),
            Map.entry(EMFILE, "EMFILE"),
            Map.entry(ENOSPC, "ENOSPC"),
            Map.entry(EROFS, "EROFS"),
            Map.entry(ENOSYS, "ENOSYS"),
            Map.entry(ELOOP, "ELOOP"),
            Map.entry(EOVERFLOW, "EOVERFLOW"),
            Map.entry(ECONNREFUSED, "ECONNREFUSED"),
            Map.entry(ENAMETOOLONG, "ENAMETOOLONG"),
            Map.entry(EDQUOT, "EDQUOT"),
            Map.entry(EOPNOTSUPP, "EOPNOTSUPP"));

    private Errno() {}

    /** Returns the name of a number, such as EPERM. */
    public static String name(int errno) {
        return NAMES.getOrDefault(errno, "errno " + errno);
    }
}
