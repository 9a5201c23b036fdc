package mayfly.targets;

import java.util.ArrayList;
import java.util.List;

/**
 * Throws exceptions on command. {@code throw N} throws N exceptions, one after the other, and answers with the number
 * of throws by the rules of JVMTI: a {@code finally} block and the end of a {@code synchronized} block throw an
 * exception again. {@code trace WAY} throws and catches an exception many times in one way, and answers with the stack
 * trace of the last one.
 */
public final class Throws {
    private static final Object LOCK = new Object();
    private static final Thrown PREPARED = new Thrown();
    /** The number of throws of each kind; the JVM compiles the methods meanwhile. */
    private static final int TRACES = 3_000;

    private static int finallyBlocks;

    private Throws() {}

    /** An exception without a stack trace. */
    public static final class Thrown extends RuntimeException {
        private static final long serialVersionUID = 1;

        Thrown() {
            super("thrown", null, false, false);
        }
    }

    public static void main(String[] args) {
        LineProtocol.untilExit(
                "throws",
                line -> line.startsWith("throw ")
                        ? Long.toString(throwAll(Long.parseLong(line.substring("throw ".length()))))
                        : line.startsWith("trace ") ? trace(line.substring("trace ".length())) : "ready");
    }

    private static long throwAll(long count) {
        long throwsOfJvmti = 0;
        for (long i = 0; i < count; i++) {
            int way = (int) (i % 5);
            try {
                throwOne(way);
            } catch (Thrown e) {
                throwsOfJvmti += way < 3 ? 1 : 2;
            }
        }
        return throwsOfJvmti;
    }

    private static void throwOne(int way) {
        switch (way) {
            case 0:
                throw new Thrown();
            case 1:
                deeper(3);
                break;
            case 2:
                throwPrepared();
                break;
            case 3:
                throwInFinally();
                break;
            default:
                throwInSynchronized();
        }
    }

    private static void deeper(int frames) {
        if (frames == 0) {
            throw new Thrown();
        }
        deeper(frames - 1);
    }

    private static void throwPrepared() {
        throw PREPARED;
    }

    private static void throwInFinally() {
        try {
            throw new Thrown();
        } finally {
            finallyBlocks++;
        }
    }

    private static void throwInSynchronized() {
        synchronized (LOCK) {
            throw new Thrown();
        }
    }

    private static String trace(String way) {
        List<String> frames = new ArrayList<>();
        for (int i = 0; i < TRACES; i++) {
            try {
                throwTraced(way, null);
            } catch (RuntimeException e) {
                frames.clear();
                for (StackTraceElement frame : e.getStackTrace()) {
                    frames.add(frame.getClassName() + '.' + frame.getMethodName() + ':' + frame.getLineNumber());
                }
            }
        }
        return String.join(" ", frames);
    }

    private static int throwTraced(String way, String nothing) {
        switch (way) {
            case "new":
                throw new IllegalStateException(way);
            case "null":
                return nothing.length();
            case "zero":
                return way.length() / (way.length() - 4);
            default:
                return Integer.parseInt(way);
        }
    }
}
