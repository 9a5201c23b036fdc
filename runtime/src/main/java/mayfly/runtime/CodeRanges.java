package mayfly.runtime;

/** Which addresses of a process are code, and whether a call ends somewhere. */
public interface CodeRanges {

    /** Whether the address lies in an executable mapping. */
    boolean isCode(long address);

    /**
     * Whether execution could go on here after a call: the address is code, and the instruction before it is a call or
     * the code before it cannot be read.
     */
    boolean mayReturnTo(long address);
}
