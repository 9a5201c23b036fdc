package mayfly.profile;

/** One frame of a stack, as a reader wants to see it. Names are the target's: untrusted text. */
public sealed interface Frame {

    /** How a Java method was being executed. */
    enum Tier {
        /** By the interpreter. */
        INTERPRETED,
        /** As code of the client compiler, C1. */
        C1,
        /** As code of the optimising compiler, C2 (or what takes its place). */
        C2,
        /** Inlined into the compiled method below it. */
        INLINED,
        /** A native method, through its wrapper. */
        NATIVE
    }

    /** How much is known of a method's part in a sample. */
    enum Certainty {
        /** It was on the stack, and at the leaf it is what ran. */
        CERTAIN,
        /** It was on the stack. It is the leaf here, but a method inlined into it may have run instead. */
        ENCLOSING,
        /** It is inlined, and that it ran follows from debug information of nearby code only. */
        INFERRED
    }

    /**
     * A Java method.
     *
     * @param runtime the runtime it belongs to
     * @param tier how it was being executed
     * @param className its class with dots, such as {@code java.lang.Thread}
     * @param method its name
     * @param descriptor its JVM descriptor, such as {@code ()V}
     * @param bci bytecode index, -1 if not known
     * @param line line number, -1 if not known
     * @param file name of the source file that the class was compiled from, such as {@code Thread.java}; empty if not
     *        known, as in every frame that was read from a capture
     * @param certainty how much is known of it
     */
    record Java(RuntimeId runtime, Tier tier, String className, String method, String descriptor, int bci, int line,
                String file, Certainty certainty) implements Frame {
        /** A method that is certain, of which the source file is not known. */
        public Java(RuntimeId runtime, Tier tier, String className, String method, String descriptor, int bci,
                    int line) {
            this(runtime, tier, className, method, descriptor, bci, line, "");
        }

        /** A method that is certain. */
        public Java(RuntimeId runtime, Tier tier, String className, String method, String descriptor, int bci,
                    int line, String file) {
            this(runtime, tier, className, method, descriptor, bci, line, file, Certainty.CERTAIN);
        }

        @Override
        public String label() {
            return className + "." + method;
        }

        /** Asked for each frame that is seen first; what a record has of its own is many times slower without C2. */
        @Override
        public int hashCode() {
            return ((className.hashCode() * 31 + method.hashCode()) * 31 + descriptor.hashCode()) * 31
                    + (bci * 31 + line) * 32 + certainty.ordinal() * 8 + tier.ordinal();
        }
    }

    /**
     * Code that a runtime generated and that is no method: an interpreter's entry, an adapter, a stub.
     *
     * @param runtime the runtime it belongs to
     * @param name the runtime's own name of it
     */
    record Stub(RuntimeId runtime, String name) implements Frame {
        @Override
        public String label() {
            return name;
        }
    }

    /**
     * A native function.
     *
     * @param library file name of the library or executable, such as {@code libc.so.6}; {@code [vdso]}; or empty for
     *        code outside every file
     * @param address the address in that file's own numbering (what nm prints); the absolute one if there is no file
     * @param symbol the demangled name, empty if not known
     * @param vm whether the library is the virtual machine itself
     */
    record Native(String library, long address, String symbol, boolean vm) implements Frame {
        @Override
        public String label() {
            return symbol.isEmpty() ? "[" + (library.isEmpty() ? "unknown" : bare(library)) + "]" : symbol;
        }

        /** As that of {@link Java}. */
        @Override
        public int hashCode() {
            return (library.hashCode() * 31 + Long.hashCode(address)) * 31 + symbol.hashCode();
        }

        private static String bare(String name) {
            return name.startsWith("[") && name.endsWith("]") ? name.substring(1, name.length() - 1) : name;
        }
    }

    /**
     * A function of the kernel.
     *
     * @param site a number that tells the places of one function apart; not its address, which is a secret of the kernel
     * @param symbol its name, empty if not known
     */
    record Kernel(int site, String symbol) implements Frame {
        @Override
        public String label() {
            return (symbol.isEmpty() ? "kernel" : symbol) + "_[k]";
        }
    }

    /**
     * In the middle of a stack, in place of the frames that were left out because there were more than the limit.
     *
     * @param frames how many; 0 if they are not counted, so that stacks of different depths are alike
     */
    record Omitted(long frames) implements Frame {
        @Override
        public String label() {
            return frames == 0 ? "[frames omitted]"
                    : "[" + frames + (frames == 1 ? " frame omitted]" : " frames omitted]");
        }
    }

    /** The frame's name in collapsed output: no address, no line, no signature. */
    String label();
}
