package mayfly.targets;

import java.io.IOException;
import java.io.InputStream;
import java.util.function.LongUnaryOperator;

/** Defines a class in a new loader, runs it until it is compiled, and drops both. */
final class StressClasses implements Stress.Load {
    private static final int LOADERS_PER_COLLECTION = 300;
    private final byte[] guest;
    private int loaders;

    StressClasses() {
        try (InputStream in = StressClasses.class.getResourceAsStream("StressClasses$Guest.class")) {
            if (in == null) {
                throw new IllegalStateException("no class file of Guest");
            }
            guest = in.readAllBytes();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public long round(int seed) throws ReflectiveOperationException {
        long x = seed;
        for (int i = 0; i < 10; i++) {
            Object made = new Loader(guest)
                    .loadClass(Guest.class.getName())
                    .getDeclaredConstructor()
                    .newInstance();
            x += run((LongUnaryOperator) made, x);
            if (++loaders % LOADERS_PER_COLLECTION == 0) {
                System.gc();
            }
        }
        return x;
    }

    private static long run(LongUnaryOperator operator, long seed) {
        long x = seed;
        for (int i = 0; i < 400; i++) {
            x = operator.applyAsLong(x);
        }
        return x;
    }

    /** Loads one class itself and delegates the others to its parent. */
    private static final class Loader extends ClassLoader {
        private final byte[] guest;

        Loader(byte[] guest) {
            super(StressClasses.class.getClassLoader());
            this.guest = guest;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.equals(Guest.class.getName())) {
                return defineClass(name, guest, 0, guest.length);
            }
            return super.loadClass(name, resolve);
        }
    }

    /** Public with a public constructor: a copy of it is in another run-time package. */
    public static final class Guest implements LongUnaryOperator {
        private static final long SALT = System.nanoTime();

        public Guest() {}

        @Override
        public long applyAsLong(long x) {
            return mix(x + SALT);
        }

        private static long mix(long start) {
            long x = start;
            for (int i = 0; i < 300; i++) {
                x = x * 31 + (x >>> 7) + i;
            }
            return x;
        }
    }
}
