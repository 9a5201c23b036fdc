package mayfly.host;

import java.lang.ref.WeakReference;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import mayfly.api.ClassDescription;
import mayfly.api.ClassId;
import mayfly.api.ProfilerException;
import mayfly.api.Status;
import mayfly.api.code.ClassStructure;
import mayfly.api.code.FieldDescription;
import mayfly.api.code.FieldId;
import mayfly.api.code.LineNumber;
import mayfly.api.code.LoaderDescription;
import mayfly.api.code.LoaderId;
import mayfly.api.code.MethodDescription;
import mayfly.api.code.MethodId;
import mayfly.api.heap.ClassCount;
import mayfly.api.heap.CollectionOutcome;
import mayfly.api.heap.ReferenceCount;
import mayfly.api.heap.ReferenceKind;
import mayfly.api.heap.ReferenceStep;
import mayfly.host.code.LineTable;
import mayfly.host.code.MemberTable;
import mayfly.host.heap.GarbageCollector;
import mayfly.host.heap.Histogram;
import mayfly.host.heap.Path;
import mayfly.wire.PathOutcome;
import org.jspecify.annotations.Nullable;

/**
 * Questions about the program's classes and objects. {@link HostedProfilerInfo} has checked that they are permitted. No
 * method is called that a class of the program may override.
 */
final class Queries {
    private static final String LOADER = "java/lang/ClassLoader";

    /** The longest pause of the JVM before its histogram, in which it collects and visits all objects. */
    private static final int HISTOGRAM_SECONDS = 60;

    private static final long[] NONE = {};

    /** The numbers of each row of {@link Inspection#countReferences}. */
    private static final int REFERENCE_NUMBERS = 5;

    private final Ids ids;

    Queries(Ids ids) {
        this.ids = ids;
    }

    ClassDescription describe(ClassId id) {
        Class<?> type = ids.type(id);
        ClassLoader loader = type.getClassLoader();
        if (loader == null) {
            return new ClassDescription(
                    id, type.getName(), Optional.of(ids.of(type.getModule())), Optional.empty(), Optional.empty());
        }
        String name = loader.getClass().getName() + '@' + Integer.toHexString(System.identityHashCode(loader));
        return new ClassDescription(
                id,
                type.getName(),
                Optional.of(ids.of(type.getModule())),
                Optional.of(name),
                Optional.of(ids.of(loader)));
    }

    LoaderDescription describe(LoaderId id) {
        ClassLoader loader = ids.loader(id);
        Object name = Inspection.fieldOf(loader, LOADER, "name", "Ljava/lang/String;");
        Object parent = Inspection.fieldOf(loader, LOADER, "parent", "Ljava/lang/ClassLoader;");
        return new LoaderDescription(
                id,
                loader.getClass().getName(),
                Optional.ofNullable((String) name),
                parent == null ? Optional.empty() : Optional.of(ids.of((ClassLoader) parent)));
    }

    ClassStructure structure(ClassId id) {
        Class<?> type = ids.type(id);
        List<ClassId> interfaces = new ArrayList<>();
        Class<?>[] direct = Inspection.interfaces(type);
        if (direct == null) {
            throw new ProfilerException(Status.FAILED, "the JVM does not list the interfaces of a class");
        }
        for (Class<?> each : direct) {
            interfaces.add(ids.of(each));
        }
        return new ClassStructure(
                id,
                type.getModifiers(),
                optional(type.getSuperclass()),
                Collections.unmodifiableList(interfaces),
                optional(type.getComponentType()),
                instanceSize(type));
    }

    private Optional<ClassId> optional(@Nullable Class<?> type) {
        return type == null ? Optional.empty() : Optional.of(ids.of(type));
    }

    private static OptionalInt instanceSize(Class<?> type) {
        boolean hasInstances = (type.getModifiers() & (Modifier.ABSTRACT | Modifier.INTERFACE)) == 0
                && !type.isArray()
                && !type.isPrimitive()
                && type != Class.class;
        int size = hasInstances ? Inspection.instanceSize(type) : 0;
        return size > 0 ? OptionalInt.of(size) : OptionalInt.empty();
    }

    List<MethodDescription> methods(ClassId id) {
        return methods(id, MemberTable.ALL);
    }

    private List<MethodDescription> methods(ClassId id, int number) {
        MemberTable members = members(ids.type(id), false, number);
        List<MethodDescription> methods = new ArrayList<>(members.size());
        for (int i = 0; i < members.size(); i++) {
            methods.add(new MethodDescription(
                    new MethodId(id, members.number(i)),
                    members.name(i),
                    members.descriptor(i),
                    members.modifiers(i),
                    members.codeSize(i)));
        }
        return methods;
    }

    List<FieldDescription> fields(ClassId id) {
        return fields(id, MemberTable.ALL);
    }

    private List<FieldDescription> fields(ClassId id, int number) {
        MemberTable members = members(ids.type(id), true, number);
        List<FieldDescription> fields = new ArrayList<>(members.size());
        for (int i = 0; i < members.size(); i++) {
            fields.add(new FieldDescription(
                    new FieldId(id, members.number(i)), members.name(i), members.descriptor(i), members.modifiers(i)));
        }
        return fields;
    }

    /** An array class and a primitive type declare none. */
    private static MemberTable members(Class<?> type, boolean fields, int number) {
        if (type.isArray() || type.isPrimitive()) {
            return new MemberTable(new Object[0]);
        }
        MemberTable members = Inspection.members(type, fields, number);
        if (members == null) {
            throw new ProfilerException(
                    Status.UNSUPPORTED_FOR_ATTACHING_PROFILER, "this JVM describes its classes in an unknown way");
        }
        return members;
    }

    /** Returns the garbage collector of this JVM. */
    GarbageCollector collector() {
        for (GarbageCollector each : GarbageCollector.values()) {
            if (!each.flag().isEmpty() && Vm.flag(each.flag())) {
                return each;
            }
        }
        return GarbageCollector.OTHER;
    }

    CollectionOutcome collect() {
        WeakReference<Object> probe = unreachable();
        if (!Inspection.collect()) {
            throw new ProfilerException(Status.FAILED, "the JVM's attach listener has not answered");
        }
        return probe.refersTo(null) ? CollectionOutcome.COLLECTED : CollectionOutcome.IGNORED;
    }

    /** Returns a reference to an object that nothing else refers to. */
    private static WeakReference<Object> unreachable() {
        return new WeakReference<>(new Object());
    }

    List<ClassCount> histogram() {
        byte[] answer = Inspection.command("GC.class_histogram", HISTOGRAM_SECONDS);
        if (answer == null) {
            throw new ProfilerException(
                    Status.FAILED,
                    "the JVM's attach listener has not answered, or with more than 16 MiB, or the program's heap has no"
                            + " room for the answer");
        }
        List<Histogram.Row> rows = Histogram.parse(answer);
        if (rows == null) {
            throw new ProfilerException(Status.FAILED, "the JVM's histogram is inconsistent");
        }
        Map<String, Class<?>> unique = classesByName(rows);
        List<ClassCount> counts = new ArrayList<>(rows.size());
        for (Histogram.Row row : rows) {
            counts.add(new ClassCount(row.name(), optional(unique.get(row.name())), row.instances(), row.bytes()));
        }
        return counts;
    }

    /**
     * Returns the classes that are certain to be the only ones of their name: by the list of all classes if JVMTI is in
     * use; otherwise only those in {@code java} and the arrays of primitive types, which no other loader can define.
     */
    private static Map<String, Class<?>> classesByName(List<Histogram.Row> rows) {
        @Nullable Class<?> @Nullable [] loaded = Vm.loadedClasses();
        Map<String, Class<?>> unique = new HashMap<>();
        Set<String> several = new HashSet<>();
        if (loaded != null) {
            for (Class<?> each : loaded) {
                if (each != null && unique.putIfAbsent(each.getName(), each) != null) {
                    several.add(each.getName());
                }
            }
        }
        Set<String> seen = new HashSet<>();
        for (Histogram.Row row : rows) {
            String name = row.name();
            Class<?> found = isOnlyInBootLoader(name) ? Inspection.bootClass(name.replace('.', '/')) : null;
            if (found != null) {
                unique.put(name, found);
            }
            if (!seen.add(name)) {
                several.add(name);
            }
        }
        unique.keySet().removeAll(several);
        return unique;
    }

    /** Returns true for a name that only the JDK can define, if it is in use: a hidden class cannot be looked up. */
    private static boolean isOnlyInBootLoader(String name) {
        int at = 0;
        while (at < name.length() && name.charAt(at) == '[') {
            at++;
        }
        boolean isPrimitiveArray = at > 0 && name.length() == at + 1;
        boolean isOfJava = name.startsWith(at > 0 ? "Ljava." : "java.", at);
        return isPrimitiveArray || isOfJava && name.indexOf('/') < 0;
    }

    List<ReferenceCount> countReferences(long limitNanos) {
        int[] outcome = new int[1];
        Object[] counted = Inspection.countReferences(limitNanos, outcome);
        if (counted == null) {
            throw switch (outcome[0]) {
                case PathOutcome.NOT_ACCEPTED -> notAccepted("a visit of the heap needs");
                case PathOutcome.TOO_LATE ->
                    new ProfilerException(Status.FAILED, "the visit of the heap took longer than the time given");
                case PathOutcome.TOO_MANY ->
                    new ProfilerException(Status.FAILED, "there are more than 131,072 different counts");
                default -> new ProfilerException(Status.FAILED, "there is no memory for the counts, or JVMTI refuses");
            };
        }
        Class<?>[] classes = (Class<?>[]) counted[0];
        long[] rows = (long[]) counted[1];
        List<ReferenceCount> counts = new ArrayList<>(rows.length / REFERENCE_NUMBERS);
        for (int at = 0; at + REFERENCE_NUMBERS <= rows.length; at += REFERENCE_NUMBERS) {
            counts.add(new ReferenceCount(
                    optional(numbered(classes, rows[at])),
                    optional(numbered(classes, rows[at + 1])),
                    ReferenceKind.of((int) rows[at + 2]),
                    rows[at + 3],
                    rows[at + 4]));
        }
        return counts;
    }

    private static @Nullable Class<?> numbered(Class<?>[] classes, long number) {
        return number < 1 || number > classes.length ? null : classes[(int) number - 1];
    }

    private static ProfilerException notAccepted(String what) {
        return new ProfilerException(
                Status.LASTING_COST_NOT_ACCEPTED,
                what + " JVMTI, which slows virtual threads for the rest of this JVM's life; attach with"
                        + " --accept-lasting-cost");
    }

    /** No frame of this method or of its caller refers to the class: such a reference would be the path. */
    Optional<List<ReferenceStep>> pathToLoader(ClassId id) {
        int[] outcome = new int[1];
        Object[] path = Inspection.path(ids.reference(id), outcome);
        return switch (outcome[0]) {
            case PathOutcome.FOUND -> Optional.of(Path.steps(path == null ? new Object[] {NONE} : path, ids.runtime()));
            case PathOutcome.NOT_FOUND -> Optional.empty();
            case PathOutcome.NOT_ACCEPTED -> throw notAccepted("a search for references needs");
            case PathOutcome.GONE ->
                throw new ProfilerException(Status.UNKNOWN_ID, "no class has the id " + id.value());
            case PathOutcome.HEAP_TOO_LARGE ->
                throw new ProfilerException(Status.FAILED, "more than 512 MiB of the heap are in use");
            case PathOutcome.TOO_LATE ->
                throw new ProfilerException(Status.FAILED, "a pass over the heap took longer than 150 ms");
            default -> throw new ProfilerException(Status.FAILED, "there is no memory for a search, or JVMTI refuses");
        };
    }

    MethodDescription describe(MethodId id) {
        for (MethodDescription each : methods(id.type(), id.number())) {
            if (each.id().number() == id.number()) {
                return each;
            }
        }
        throw new ProfilerException(Status.UNKNOWN_ID, "the class has no method with the number " + id.number());
    }

    FieldDescription describe(FieldId id) {
        for (FieldDescription each : fields(id.type(), id.number())) {
            if (each.id().number() == id.number()) {
                return each;
            }
        }
        throw new ProfilerException(Status.UNKNOWN_ID, "the class has no field with the number " + id.number());
    }

    List<LineNumber> lines(MethodId id) {
        describe(id); // the class has the method
        byte[] table = Inspection.lines(ids.type(id.type()), id.number());
        if (table == null) {
            throw new ProfilerException(
                    Status.UNSUPPORTED_FOR_ATTACHING_PROFILER, "this JVM describes its methods in an unknown way");
        }
        List<LineNumber> lines = table.length == 0
                ? List.of()
                : LineTable.decode(table, Runtime.version().feature());
        if (lines == null) {
            throw new ProfilerException(Status.FAILED, "the line numbers of the method are damaged");
        }
        return lines;
    }

    byte[] bytecodes(MethodId id) {
        MethodDescription method = describe(id);
        int[] outcome = new int[1];
        byte[] code = Inspection.bytecodes(ids.type(id.type()), method.name(), method.descriptor(), outcome);
        if (code != null) {
            return code;
        }
        if (outcome[0] == PathOutcome.NOT_ACCEPTED) {
            throw notAccepted("bytecodes need");
        }
        throw new ProfilerException(
                Status.FAILED, "the class has not been linked, or there is no memory, or JVMTI refuses");
    }
}
