package mayfly.linux.sys;

import java.io.IOException;

/** Thrown if a system call fails; names the call, its object and the error. */
public final class ErrnoException extends IOException {
    private static final long serialVersionUID = 1L;

    private final int errno;

    public ErrnoException(String what, int errno) {
        super(what + ": " + Errno.name(errno));
        this.errno = errno;
    }

    /** Returns the error number, see errno(3). */
    public int errno() {
        return errno;
    }

    /** Returns the name of the error number, such as EPERM. */
    public String errnoName() {
        return Errno.name(errno);
    }

    /** Returns the name of an error number, such as EPERM. */
    public static String nameOf(int errno) {
        return Errno.name(errno);
    }

    /**
     * Returns a kernel result if it is not an error.
     *
     * @throws ErrnoException if the result is a negated errno
     */
    public static long check(String what, long result) throws ErrnoException {
        if (result < 0) {
            throw new ErrnoException(what, (int) -result);
        }
        return result;
    }
}
