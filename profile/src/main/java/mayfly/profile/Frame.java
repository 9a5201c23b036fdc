package mayfly.profile;

/** One frame of a stack, in a form for readers. Names are from the target: untrusted text. */
public sealed interface Frame {

    /** The certainty with which a method is part of a sample. */
    enum Certainty {
        /** It was on the stack. If it is the leaf, it was being executed. */
        CERTAIN,
        /** It was on the stack. It is the leaf here, but a method inlined into it may have been executed instead. */
        ENCLOSING,
        /** It is inlined, and its execution is inferred only from debug information of nearby code. */
        INFERRED
    }

    /**
     * A method of a managed runtime. Kind and tier are terms of the runtime. The kinds that runtimes share are
     * {@link #INTERPRETED}, {@link #COMPILED}, {@link #INLINED} and {@link #NATIVE}.
     *
     * @param runtime the runtime it belongs to
     * @param language its language, such as {@code java}: a word in lower case
     * @param kind the way in which it was executed
     * @param tier the runtime's compiler that generated the code, such as {@code C2}; empty if the kind is sufficient
     * @param type the type that declares the method, such as {@code java.lang.Thread}; empty if there is none
     * @param method its name
     * @param descriptor distinguishes it from other methods of the same name, such as the JVM descriptor {@code ()V};
     *     empty if the name is unique
     * @param position its position in the method, in the runtime's own unit, such as a bytecode index; -1 if unknown
     * @param line line number, -1 if unknown
     * @param file name of the source file that the type was compiled from, such as {@code Thread.java}; empty if
     *     unknown, as in every frame that was read from a capture
     * @param certainty the certainty with which it is part of the sample
     */
    record Managed(
            RuntimeId runtime,
            String language,
            String kind,
            String tier,
            String type,
            String method,
            String descriptor,
            int position,
            int line,
            String file,
            Certainty certainty)
            implements Frame {
        /** The kind of a method that an interpreter executes. */
        public static final String INTERPRETED = "interpreted";
        /** The kind of a method that was compiled. */
        public static final String COMPILED = "compiled";
        /** The kind of a method that is inlined into the compiled method below it. */
        public static final String INLINED = "inlined";
        /** The kind of a method that is implemented by native code, which the runtime's wrapper calls. */
        public static final String NATIVE = "native";

        /** Creates a method that is certain, with an unknown source file. */
        public Managed(
                RuntimeId runtime,
                String language,
                String kind,
                String tier,
                String type,
                String method,
                String descriptor,
                int position,
                int line) {
            this(runtime, language, kind, tier, type, method, descriptor, position, line, "");
        }

        /** Creates a method that is certain. */
        public Managed(
                RuntimeId runtime,
                String language,
                String kind,
                String tier,
                String type,
                String method,
                String descriptor,
                int position,
                int line,
                String file) {
            this(runtime, language, kind, tier, type, method, descriptor, position, line, file, Certainty.CERTAIN);
        }

        /** Returns one word for the way in which it was executed: the tier, or the kind of a method that has none. */
        public String mode() {
            return tier.isEmpty() ? kind : tier;
        }

        @Override
        public String label() {
            return type.isEmpty() ? method : type + "." + method;
        }

        /**
         * Written by hand, because it is called for the first occurrence of each frame, and a record's generated method
         * is many times slower until C2 has compiled it.
         */
        @Override
        public int hashCode() {
            return ((type.hashCode() * 31 + method.hashCode()) * 31 + descriptor.hashCode()) * 31
                    + (position * 31 + line) * 32
                    + certainty.ordinal() * 8
                    + mode().hashCode();
        }
    }

    /**
     * Code that a runtime generated and that is not a method: an interpreter's entry, an adapter, a stub.
     *
     * @param runtime the runtime it belongs to
     * @param name its name in the runtime
     */
    record Stub(RuntimeId runtime, String name) implements Frame {
        /**
         * Returns true for generated code. Otherwise it is a state of the runtime, whose name is in brackets, such as
         * {@code [at safepoint]}.
         */
        public boolean isCode() {
            return !name.startsWith("[");
        }

        @Override
        public String label() {
            return name;
        }
    }

    /**
     * A native function.
     *
     * @param library file name of the library or executable, such as {@code libc.so.6}; {@code [vdso]}; or empty for
     *     code outside every file
     * @param address the address in the file's numbering, as printed by nm; the absolute address if there is no file
     * @param symbol the demangled name, empty if unknown
     * @param vm true if the library is the virtual machine itself
     */
    record Native(String library, long address, String symbol, boolean vm) implements Frame {
        @Override
        public String label() {
            if (!symbol.isEmpty()) {
                return symbol;
            }
            return "[" + (library.isEmpty() ? "unknown" : bare(library)) + "]";
        }

        /** As in {@link Managed}. */
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
     * @param site a number that distinguishes the locations in one function; not an address, because the kernel keeps
     *     addresses secret
     * @param symbol its name, empty if unknown
     */
    record Kernel(int site, String symbol) implements Frame {
        @Override
        public String label() {
            return (symbol.isEmpty() ? "kernel" : symbol) + "_[k]";
        }
    }

    /**
     * Replaces the frames in the middle of a stack that were left out because the stack exceeded the limit.
     *
     * @param frames their number; 0 if they are not counted, so that stacks of different depths are equal
     */
    record Omitted(long frames) implements Frame {
        @Override
        public String label() {
            if (frames == 0) {
                return "[frames omitted]";
            }
            return "[" + frames + (frames == 1 ? " frame omitted]" : " frames omitted]");
        }
    }

    /** Returns the frame's name in collapsed output: no address, no line, no signature. */
    String label();
}
