package mayfly.profile;

/** One frame of a stack, as a reader wants to see it. Names are the target's: untrusted text. */
public sealed interface Frame {

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
     * A method of a managed runtime. Kind and tier are the runtime's own words; {@link #INTERPRETED}, {@link
     * #COMPILED}, {@link #INLINED} and {@link #NATIVE} are those that runtimes share.
     *
     * @param runtime the runtime it belongs to
     * @param language the language it is of, such as {@code java}: a word in lower case
     * @param kind how it was being executed
     * @param tier which of the runtime's compilers made the code, such as {@code C2}; empty if the kind says everything
     * @param type the type that has the method, such as {@code java.lang.Thread}; empty if the method is of none
     * @param method its name
     * @param descriptor tells it from others of its name, such as the JVM descriptor {@code ()V}; empty if none is
     *        needed
     * @param position where in the method, by the runtime's own count, such as a bytecode index; -1 if not known
     * @param line line number, -1 if not known
     * @param file name of the source file that the type was compiled from, such as {@code Thread.java}; empty if not
     *        known, as in every frame that was read from a capture
     * @param certainty how much is known of it
     */
    record Managed(RuntimeId runtime, String language, String kind, String tier, String type, String method,
                   String descriptor, int position, int line, String file, Certainty certainty) implements Frame {
        /** The kind of a method that an interpreter executes. */
        public static final String INTERPRETED = "interpreted";
        /** The kind of a method that was compiled. */
        public static final String COMPILED = "compiled";
        /** The kind of a method that is inlined into the compiled method below it. */
        public static final String INLINED = "inlined";
        /** The kind of a method that is implemented by native code, which the runtime's wrapper calls. */
        public static final String NATIVE = "native";

        /** A method that is certain, of which the source file is not known. */
        public Managed(RuntimeId runtime, String language, String kind, String tier, String type, String method,
                       String descriptor, int position, int line) {
            this(runtime, language, kind, tier, type, method, descriptor, position, line, "");
        }

        /** A method that is certain. */
        public Managed(RuntimeId runtime, String language, String kind, String tier, String type, String method,
                       String descriptor, int position, int line, String file) {
            this(runtime, language, kind, tier, type, method, descriptor, position, line, file, Certainty.CERTAIN);
        }

        /** One word for how it was being executed: the tier, or the kind of a method that has none. */
        public String mode() {
            return tier.isEmpty() ? kind : tier;
        }

        @Override
        public String label() {
            return type.isEmpty() ? method : type + "." + method;
        }

        /** Asked for each frame that is seen first; what a record has of its own is many times slower without C2. */
        @Override
        public int hashCode() {
            return ((type.hashCode() * 31 + method.hashCode()) * 31 + descriptor.hashCode()) * 31
                    + (position * 31 + line) * 32 + certainty.ordinal() * 8 + mode().hashCode();
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

        /** As that of {@link Managed}. */
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
