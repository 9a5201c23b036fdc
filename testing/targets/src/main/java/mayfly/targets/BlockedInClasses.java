package mayfly.targets;

import java.security.AccessController;
import java.security.PrivilegedAction;
import java.util.concurrent.locks.LockSupport;

/** Threads parked where the VM itself has called Java: static initialisers, class loaders, constructors. */
final class BlockedInClasses {
    private BlockedInClasses() {}

    static void start() {
        Thread first = Blocked.start("class-init", () -> Work.sink = Slow.value);
        Blocked.awaitBlocked(first);
        Blocked.start("class-wait", () -> Work.sink = Slow.value);
        Blocked.start("class-init-for-name", () -> Class.forName("mayfly.targets.BlockedInClasses$SlowByName"));
        Blocked.start("constructor", () -> Work.sink = new Built(3).hashCode());
        Blocked.start("initialiser-block", () -> Work.sink = new BuiltInBlock().hashCode());
        Blocked.start("load-class", () -> Class.forName("no.such.Thing", true, new SlowLoader()));
        Blocked.start("privileged", () -> Work.sink = privileged());
        Blocked.start("to-string", () -> Work.sink = ("a" + new SlowText()).length());
    }

    @SuppressWarnings({"removal", "deprecation"})
    private static long privileged() {
        return AccessController.doPrivileged((PrivilegedAction<Long>) () -> {
            LockSupport.park();
            return 1L;
        });
    }

    private static final class Slow {
        static long value = slowly();

        private static long slowly() {
            LockSupport.park();
            return 1;
        }
    }

    private static final class SlowByName {
        static {
            BlockedInCalls.parkHere("static initialiser");
        }
    }

    private static class Base {
        Base(int x) {
            LockSupport.park(Integer.toString(x));
        }
    }

    private static final class Built extends Base {
        Built(int x) {
            super(x + 1);
        }
    }

    private static final class BuiltInBlock {
        private final long made;

        {
            LockSupport.park();
            made = 1;
        }

        @Override
        public int hashCode() {
            return (int) made;
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }
    }

    private static final class SlowLoader extends ClassLoader {
        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            LockSupport.park(this);
            throw new ClassNotFoundException(name);
        }
    }

    private static final class SlowText {
        @Override
        public String toString() {
            LockSupport.park(this);
            return "slow";
        }
    }
}
