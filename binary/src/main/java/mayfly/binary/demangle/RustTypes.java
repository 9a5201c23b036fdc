package mayfly.binary.demangle;

import org.jspecify.annotations.Nullable;

/** Reads and prints the types in a Rust name. Methods are named after the productions of the RFC's grammar. */
abstract class RustTypes extends RustInput {
    private static final int MAX_BOUND_LIFETIMES = 1000;

    private final Out out = new Out();
    /** True while text is read but not printed: the path of an impl, and the instantiating crate. */
    private boolean silent;

    private long boundLifetimes;

    RustTypes(String text) {
        super(text);
    }

    /**
     * Reads a path.
     *
     * @param inValue true if generic arguments need {@code ::} before them
     */
    abstract void path(boolean inValue);

    /** Reads {@code {generic-arg} "E"}. */
    abstract void genericArgs();

    abstract void constant();

    /** Returns the text printed so far. */
    final String text() {
        return out.toString();
    }

    /** Counts a step into a production. {@link Out} limits the number of steps. */
    @Override
    final void enter() {
        out.step();
        super.enter();
    }

    final void print(String text) {
        if (!silent) {
            out.add(text);
        }
    }

    final void silently(Runnable production) {
        boolean outer = silent;
        silent = true;
        production.run();
        silent = outer;
    }

    /** Reads a back reference. If the text is not printed, the target, which may be very long, is skipped. */
    final void reference(Runnable production) {
        if (silent) {
            number62();
        } else {
            backReference(production);
        }
    }

    /** Prints a lifetime. The index counts outwards from the innermost binder; 0 is an erased lifetime. */
    final void lifetime(long index) {
        if (silent) {
            return;
        }
        if (index > boundLifetimes) {
            throw Malformed.NAME;
        }
        long depth = boundLifetimes - index;
        if (index == 0) {
            print("'_");
        } else if (depth < 26) {
            print("'" + (char) ('a' + depth));
        } else {
            print("'_" + depth);
        }
    }

    /** Reads {@code [binder]} and the production in its scope. */
    private void bound(Runnable production) {
        long outer = boundLifetimes;
        long count = optional62('G');
        if (!silent && count != 0) {
            if (count < 0 || count > MAX_BOUND_LIFETIMES) {
                throw Malformed.NAME;
            }
            print("for<");
            for (int i = 0; i < count; i++) {
                print(i == 0 ? "" : ", ");
                boundLifetimes++;
                lifetime(1);
            }
            print("> ");
        }
        production.run();
        boundLifetimes = outer;
    }

    final void type() {
        enter();
        char tag = next();
        String basic = basicType(tag);
        if (basic != null) {
            print(basic);
        } else {
            compositeType(tag);
        }
        leave();
    }

    static @Nullable String basicType(char tag) {
        return switch (tag) {
            case 'a' -> "i8";
            case 'b' -> "bool";
            case 'c' -> "char";
            case 'd' -> "f64";
            case 'e' -> "str";
            case 'f' -> "f32";
            case 'h' -> "u8";
            case 'i' -> "isize";
            case 'j' -> "usize";
            case 'l' -> "i32";
            case 'm' -> "u32";
            case 'n' -> "i128";
            case 'o' -> "u128";
            case 'p' -> "_";
            case 's' -> "i16";
            case 't' -> "u16";
            case 'u' -> "()";
            case 'v' -> "...";
            case 'x' -> "i64";
            case 'y' -> "u64";
            case 'z' -> "!";
            default -> null;
        };
    }

    private void compositeType(char tag) {
        switch (tag) {
            case 'A', 'S' -> {
                print("[");
                type();
                if (tag == 'A') {
                    print("; ");
                    constant();
                }
                print("]");
            }
            case 'T' -> tuple();
            case 'R', 'Q' -> {
                print("&");
                long index = accept('L') ? number62() : 0;
                if (index > 0) {
                    lifetime(index);
                    print(" ");
                }
                print(tag == 'Q' ? "mut " : "");
                type();
            }
            case 'P', 'O' -> {
                print(tag == 'P' ? "*const " : "*mut ");
                type();
            }
            case 'F' -> bound(this::function);
            case 'D' -> {
                print("dyn ");
                bound(this::traits);
                expect('L');
                long index = number62();
                if (index > 0) {
                    print(" + ");
                    lifetime(index);
                }
            }
            case 'B' -> reference(this::type);
            default -> {
                at--;
                path(false);
            }
        }
    }

    private void tuple() {
        print("(");
        int n = 0;
        for (; !accept('E'); n++) {
            print(n == 0 ? "" : ", ");
            type();
        }
        print(n == 1 ? ",)" : ")");
    }

    /** Reads {@code fn-sig} without its binder. */
    private void function() {
        print(accept('U') ? "unsafe " : "");
        if (accept('K')) {
            print("extern \"" + (accept('C') ? "C" : identifier().replace('_', '-')) + "\" ");
        }
        print("fn(");
        for (boolean first = true; !accept('E'); first = false) {
            print(first ? "" : ", ");
            type();
        }
        print(")");
        if (!accept('u')) {
            print(" -> ");
            type();
        }
    }

    /** Reads {@code dyn-bounds} without its binder. */
    private void traits() {
        for (boolean first = true; !accept('E'); first = false) {
            print(first ? "" : " + ");
            boolean open = openPath();
            while (accept('p')) {
                print((open ? ", " : "<") + identifier() + " = ");
                open = true;
                type();
            }
            print(open ? ">" : "");
        }
    }

    /**
     * Reads a trait's path. Returns true if it ends in generic arguments whose bracket is still open for its bindings.
     */
    private boolean openPath() {
        boolean[] open = {false};
        enter();
        if (accept('B')) {
            reference(() -> open[0] = openPath());
        } else if (accept('I')) {
            path(false);
            print("<");
            genericArgs();
            open[0] = true;
        } else {
            path(false);
        }
        leave();
        return open[0];
    }
}
