package mayfly.corpus.python;

/**
 * Thrown if data of CPython is inconsistent.
 *
 * <p>Has no stack trace, because it is an ordinary result of reading a running process.
 */
final class BadPython extends Exception {
    private static final long serialVersionUID = 1L;

    BadPython(String message) {
        super(message, null, false, false);
    }
}
