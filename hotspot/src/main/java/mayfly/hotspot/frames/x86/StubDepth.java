package mayfly.hotspot.frames.x86;

/**
 * The location of a stub's return address, and of the rbp that the stub has saved.
 *
 * @param pushed the distance of the stack pointer below the return address, decoded from the routine's entry on; -1 if
 *     it cannot be determined; {@link ExceptionBlob#IN_RDX} if the return address has been popped
 * @param assumed the same under the assumption that a routine begins where the one before it ends; -1 if it cannot be
 *     determined
 * @param pushesRbp true if rbp lies right below the return address
 */
record StubDepth(int pushed, int assumed, boolean pushesRbp) {

    static StubDepth unknown() {
        return new StubDepth(-1, -1, false);
    }

    /** The distance is certain. */
    static StubDepth of(int pushed) {
        return new StubDepth(pushed, -1, false);
    }

    /** The distance is correct if the routine begins where the one before it ends. */
    static StubDepth assuming(int assumed) {
        return new StubDepth(-1, assumed, false);
    }

    /** Returns the same distance with rbp right below the return address. */
    StubDepth withRbp() {
        return new StubDepth(pushed, assumed, true);
    }
}
