package mayfly.linux.sys;

import java.io.IOException;

/** A system call that failed: which, on what, and why. */
public final class ErrnoException extends IOException {
    private static final long serialVersionUID = 1L;

    private final int errno;

    public ErrnoException(String what, int errno) {
        super(what + ": " + Errno.name(errno));
        this.errno = errno;
    }

    /** The error number, see errno(3). */
    public int errno() {
        return errno;
    }

    /** The name of the error number, such as EPERM. */
    public String errnoName() {
        return Errno.name(errno);
    }

    /** The name of an error number, such as EPERM. */
    public static String nameOf(int errno) {
        return Errno.name(errno);
    }

    /** Passes on a kernel result that is not an error. */
    public static long check(String what, long result) throws ErrnoException {
        if (result < 0) {
            throw new ErrnoException(what, (int) -result);
        }
        return result;
    }
}
