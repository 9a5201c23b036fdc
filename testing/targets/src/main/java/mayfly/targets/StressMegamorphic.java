package mayfly.targets;

/**
 * Calls through interfaces and virtual tables with too many receivers to inline, so that both kinds of stubs are used.
 */
final class StressMegamorphic implements Stress.Load {
    interface Shape {
        long area(long x);

        default long twice(long x) {
            return area(x) * 2;
        }
    }

    abstract static class Animal {
        abstract long noise(long x);

        long loud(long x) {
            return noise(x) + 1;
        }
    }

    private final Shape[] shapes = {
        x -> x + 1, x -> x ^ 3, x -> x * 5, new Square(), new Circle(), x -> x - 7, new Line(), x -> ~x
    };
    private final Animal[] animals = {new Cat(), new Dog(), new Cow(), new Hen(), new Pig(), new Owl()};

    @Override
    public long round(int seed) {
        long x = seed;
        for (int i = 0; i < 60_000; i++) {
            Shape shape = shapes[i % shapes.length];
            Animal animal = animals[i % animals.length];
            x += shape.area(x) + shape.twice(i);
            x ^= animal.noise(x) + animal.loud(i);
        }
        return x;
    }

    private static final class Square implements Shape {
        @Override
        public long area(long x) {
            return x * x;
        }
    }

    private static final class Circle implements Shape {
        @Override
        public long area(long x) {
            return x * x * 3;
        }

        @Override
        public long twice(long x) {
            return x * 6;
        }
    }

    private static final class Line implements Shape {
        @Override
        public long area(long x) {
            return 0;
        }
    }

    private static final class Cat extends Animal {
        @Override
        long noise(long x) {
            return x + 1;
        }
    }

    private static final class Dog extends Animal {
        @Override
        long noise(long x) {
            return x << 1;
        }
    }

    private static final class Cow extends Animal {
        @Override
        long noise(long x) {
            return x * 3;
        }
    }

    private static final class Hen extends Animal {
        @Override
        long noise(long x) {
            return x / 3;
        }
    }

    private static final class Pig extends Animal {
        @Override
        long noise(long x) {
            return x ^ 5;
        }
    }

    private static final class Owl extends Animal {
        @Override
        long noise(long x) {
            return Long.rotateLeft(x, 7);
        }
    }
}
