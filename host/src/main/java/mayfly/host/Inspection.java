package mayfly.host;

import java.lang.ref.WeakReference;
import mayfly.host.code.MemberTable;
import org.jspecify.annotations.Nullable;

/** The library's answers to questions about classes, methods and the heap. Each call is counted: see {@link Vm}. */
final class Inspection {
    private Inspection() {}

    /**
     * Returns the methods or the fields that a class declares, null for an array class and a primitive type, and
     * if this JVM does not describe them as expected.
     *
     * @param number the number of the only member to return, or {@link MemberTable#ALL}
     */
    static @Nullable MemberTable members(Class<?> type, boolean fields, int number) {
        Vm.enter();
        try {
            Object[] members = Vm.members0(type, fields, number);
            return members == null ? null : new MemberTable(members);
        } finally {
            Vm.leave();
        }
    }

    /**
     * Returns bytes that begin with the compressed line numbers of a method; none if it has no line numbers; null if
     * this JVM does not describe them as expected, or if the class has no method of that number.
     */
    static byte @Nullable [] lines(Class<?> type, int number) {
        Vm.enter();
        try {
            return Vm.lines0(type, number);
        } finally {
            Vm.leave();
        }
    }

    /**
     * Returns the bytecodes of a method as in its class file, by JVMTI; none if it has no code; null if they cannot be
     * had.
     *
     * @param outcome receives a {@code PathOutcome}
     */
    static byte @Nullable [] bytecodes(Class<?> type, String name, String descriptor, int[] outcome) {
        Vm.enter();
        try {
            return Vm.bytecodes0(type, name, descriptor, outcome);
        } finally {
            Vm.leave();
        }
    }

    /** Returns the size of an instance in bytes; 0 if the class has none or it is unknown. */
    static int instanceSize(Class<?> type) {
        Vm.enter();
        try {
            return Vm.instanceSize0(type);
        } finally {
            Vm.leave();
        }
    }

    /** Returns the direct superinterfaces. Unlike {@link Class#getInterfaces}, it leaves no cache with the class. */
    static Class<?> @Nullable [] interfaces(Class<?> type) {
        Vm.enter();
        try {
            return Vm.interfaces0(type);
        } finally {
            Vm.leave();
        }
    }

    /**
     * Returns the value of a reference field that a class of the JDK declares; null also if it declares no such field.
     *
     * @param declaring the class, such as {@code java/lang/ClassLoader}
     */
    static @Nullable Object fieldOf(Object object, String declaring, String name, String descriptor) {
        Vm.enter();
        try {
            return Vm.fieldOf0(object, declaring, name, descriptor);
        } finally {
            Vm.leave();
        }
    }

    /** Requests a full collection. Returns false if the attach listener was needed for that and did not answer. */
    static boolean collect() {
        Vm.enter();
        try {
            return Vm.collect0();
        } finally {
            Vm.leave();
        }
    }

    /**
     * Returns the JVM's answer to a diagnostic command, as jcmd prints it; null if the attach listener does not answer.
     *
     * @param seconds the longest pause of the JVM before and between the parts of its answer
     */
    static byte @Nullable [] command(String command, int seconds) {
        Vm.enter();
        try {
            return Vm.command0(command, seconds);
        } finally {
            Vm.leave();
        }
    }

    /** Returns a class of the boot loader, by a name such as {@code java/lang/String}; null if there is none. */
    static @Nullable Class<?> bootClass(String name) {
        Vm.enter();
        try {
            return Vm.bootClass0(name);
        } finally {
            Vm.leave();
        }
    }

    /**
     * Returns the path of references to the class loader of a class, as {@link mayfly.host.heap.Path} describes it, or
     * to the class itself if it is of the boot loader; null if there is none.
     *
     * @param outcome receives a {@code PathOutcome}
     */
    static Object @Nullable [] path(WeakReference<?> type, int[] outcome) {
        Vm.enter();
        try {
            return Vm.path0(type, outcome);
        } finally {
            Vm.leave();
        }
    }

    /**
     * Counts the references between the classes of objects. Returns a {@code Class<?>[]} and a {@code long[]} with five
     * numbers for each row: the classes from and to, as their positions from 1, the kind, the references, the bytes;
     * null if they cannot be counted.
     *
     * @param outcome receives a {@code PathOutcome}
     */
    static Object @Nullable [] countReferences(long limitNanos, int[] outcome) {
        Vm.enter();
        try {
            return Vm.countReferences0(limitNanos, outcome);
        } finally {
            Vm.leave();
        }
    }

    /** Returns a {@code ManagementState}: READY if {@link #dumpThreads} can be called. */
    static int managementState(Thread[] live, boolean mayLoad) {
        Vm.enter();
        try {
            return Vm.managementState0(live, mayLoad);
        } finally {
            Vm.leave();
        }
    }

    /**
     * Returns a {@code ThreadInfo} for each platform thread with its stack and its locks, of one safepoint; null for a
     * number of no such thread. Returns null if the JVM fails.
     */
    static @Nullable Object @Nullable [] dumpThreads(long[] numbers) {
        Vm.enter();
        try {
            return Vm.dumpThreads0(numbers);
        } finally {
            Vm.leave();
        }
    }
}
