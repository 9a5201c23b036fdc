package mayfly.runtime;

/** The code ranges of a process, and a check of return addresses. */
public interface CodeRanges {

    /** Returns true if the address lies in an executable mapping. */
    boolean isCode(long address);

    /**
     * Returns true if an address can be a return address: it is code, and the instruction before it is a call, or the
     * code before it cannot be read.
     */
    boolean mayReturnTo(long address);
}
