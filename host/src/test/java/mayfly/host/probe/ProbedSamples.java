package mayfly.host.probe;

import java.util.Arrays;

/** Methods that get probes. A test defines this class once more, in a loader that has only classes of the JDK. */
final class ProbedSamples {
    private static final Object OTHER = new Object();

    private long field = 1L << 40;

    private ProbedSamples() {}

    // Each return type, without and with an object.

    static boolean ofBoolean(boolean a) {
        return !a;
    }

    static byte ofByte(byte a) {
        return (byte) (a + 1);
    }

    static char ofChar(char a) {
        return (char) (a + 1);
    }

    static short ofShort(short a) {
        return (short) (a + 1);
    }

    static int ofInt(int a) {
        return a + 1;
    }

    static long ofLong(int before, long a, byte after) {
        return a + before + after;
    }

    static float ofFloat(float a) {
        return a + 1;
    }

    static double ofDouble(double a, double b) {
        return a + b;
    }

    static String ofString(String a) {
        return a.concat("1");
    }

    static int[][] ofArray(int a) {
        return new int[a][1];
    }

    static void ofVoid() {}

    long field(long a) {
        field += a;
        return field;
    }

    double numbers(double a, long b) {
        return a + b + field;
    }

    void nothing() {
        field = 0;
    }

    Object self() {
        return this;
    }

    @SuppressWarnings("unchecked")
    <T extends Comparable<T>> T generic(T a) {
        return (T) (Object) a;
    }

    static String allTypes() {
        ProbedSamples sample = new ProbedSamples();
        ofVoid();
        Object[] all = {
            ofBoolean(true),
            ofByte((byte) -1),
            ofChar('a'),
            ofShort((short) 9),
            ofInt(-2),
            ofLong(1, Long.MIN_VALUE, (byte) 2),
            ofFloat(0.5f),
            ofDouble(1e300, 2),
            ofString("s"),
            ofArray(3).length,
            sample.field(5),
            sample.numbers(1.5, 2),
            sample.self() == sample,
            sample.generic("g"),
        };
        sample.nothing();
        return Arrays.toString(all) + sample.field;
    }

    // Monitors.

    synchronized int locked(int a) {
        if (a < 0) {
            throw new IllegalStateException("negative");
        }
        return a;
    }

    static synchronized int lockedStatic(int a) {
        return 10 / a;
    }

    static String block(Object lock, int a) {
        synchronized (lock) {
            if (a == 0) {
                return "inner";
            }
            synchronized (OTHER) {
                if (a == 1) {
                    throw new IllegalArgumentException("in two");
                }
            }
        }
        return "outer " + Thread.holdsLock(lock);
    }

    static String monitors() {
        ProbedSamples sample = new ProbedSamples();
        String result = sample.locked(4) + " " + lockedStatic(5);
        try {
            result += sample.locked(-1);
        } catch (IllegalStateException e) {
            result += e.getMessage() + Thread.holdsLock(sample);
        }
        try {
            result += lockedStatic(0);
        } catch (ArithmeticException e) {
            result += e.getMessage() + Thread.holdsLock(sample.getClass());
        }
        Object lock = new Object();
        result += block(lock, 0) + block(lock, 2);
        try {
            result += block(lock, 1);
        } catch (IllegalArgumentException e) {
            result += e.getMessage() + Thread.holdsLock(lock) + Thread.holdsLock(OTHER);
        }
        return result;
    }

    // Handlers.

    static String nested(int a) {
        StringBuilder text = new StringBuilder();
        try {
            try {
                if (a == 0) {
                    return text.append("returns ").toString();
                }
                text.append(10 / (a - 1));
                if (a == 2) {
                    throw new IllegalStateException("two");
                }
            } catch (ArithmeticException e) {
                text.append(" divided");
                throw new UnsupportedOperationException(text.toString(), e);
            } finally {
                text.append(" finally");
                if (a == 3) {
                    throw new IllegalArgumentException(text.toString());
                }
            }
        } catch (IllegalStateException e) {
            return text + " caught";
        }
        return text + " end";
    }

    @SuppressWarnings("finally")
    static int returnsInFinally(int a) {
        try {
            return 1 / a;
        } finally {
            if (a < 1) {
                return -1;
            }
        }
    }

    static String catchesAll(boolean throwing) {
        try {
            if (throwing) {
                throw new Exception("own");
            }
            return "returned";
        } catch (Throwable e) {
            return e.toString();
        }
    }

    static void throwsOnly() {
        throw new IllegalStateException("thrown");
    }

    static void rethrows() throws Exception {
        try {
            throwsOnly();
        } catch (IllegalStateException e) {
            throw new Exception("again", e);
        }
    }

    // Control flow.

    /** Its loop begins at the method's first instruction. */
    static int loop(int a) {
        while (true) {
            if (a-- < 0) {
                return a;
            }
        }
    }

    /** All its local variables are gone in the second branch, and others have their places. */
    static String reusedVariables(int a) {
        if (a > 0) {
            long b = a;
            String c = "b" + b;
            return c;
        }
        String d = "d" + a;
        double e = 2.0 / d.length();
        return d + e;
    }

    static int switches(String text, int a) {
        switch (text) {
            case "a":
                return 1;
            case "b":
                break;
            default:
                a++;
        }
        return switch (a) {
            case 1, 2, 3 -> a;
            case 1_000_000 -> throw new IllegalStateException("million");
            default -> -a;
        };
    }

    static int recursive(int a) {
        return a == 0 ? 0 : 1 + recursive(a - 1);
    }

    static String overflow() {
        try {
            return "" + endless(0);
        } catch (StackOverflowError e) {
            return "overflow";
        }
    }

    private static int endless(int a) {
        return 1 + endless(a + 1);
    }
}
