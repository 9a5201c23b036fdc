package mayfly.host;

import java.lang.reflect.InvocationTargetException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;
import mayfly.api.Profiler;
import mayfly.api.ProfilerException;
import mayfly.api.Status;
import mayfly.host.channel.Reply;
import mayfly.wire.UpcallKind;
import org.jspecify.annotations.Nullable;

/**
 * Creates the host and the profiler from the trigger's message. Public, with a public constructor, for {@link
 * Bootstrap}.
 */
public final class HostFactory implements Function<Object[], Object> {

    /** For {@link Bootstrap}, which is in another loader. */
    public HostFactory() {}

    /**
     * Creates all objects. The only code of the profiler that runs is the static initializer and the constructor of its
     * class.
     *
     * @param in the loader, the contents of the profiler's jar, the profiler's class, a byte for each event that its
     * manifest lists, which is {@link mayfly.api.Event#number}, the client data or null, and the rank of this JVM in
     * the process with the start address of its library
     * @return the result of {@link Bootstrap#apply}
     */
    @Override
    @SuppressWarnings("unchecked")
    public Object apply(Object[] in) {
        try {
            ClassLoader loader = (ClassLoader) in[0];
            Function<Object, byte @Nullable []> files = (Function<Object, byte @Nullable []>) loader;
            if (files.apply(in[1]) == null) {
                throw new ProfilerException(Status.ATTACH_REFUSED, "the content of the profiler's jar is malformed");
            }
            String name = new String((byte[]) in[2], StandardCharsets.UTF_8);
            Host host = new Host(
                    newProfiler(loader, name),
                    mask((byte[]) in[3]),
                    loader.getName(),
                    files,
                    (byte[]) in[4],
                    ByteBuffer.wrap((byte[]) in[5]).order(ByteOrder.LITTLE_ENDIAN));
            Object[] made = new Object[UpcallKind.COUNT + 1];
            made[0] = Vm.class;
            for (int kind = 0; kind < UpcallKind.COUNT; kind++) {
                made[kind + 1] = kind == UpcallKind.COMMAND ? host.commands() : new Upcall(kind, host);
            }
            return made;
        } catch (Throwable e) {
            Object answer = Reply.thrown(e);
            MemoryLoader.forget((Function<Object, byte @Nullable []>) in[0]);
            return answer;
        }
    }

    /** Returns the mask of the events. All numbers are known, because trigger and host have the same version. */
    static int mask(byte[] numbers) {
        int mask = 0;
        for (byte number : numbers) {
            mask |= 1 << number;
        }
        return mask;
    }

    private static Profiler newProfiler(ClassLoader loader, String name) throws Throwable {
        Class<?> type;
        try {
            type = Class.forName(name, true, loader);
        } catch (ClassNotFoundException e) {
            throw new ProfilerException(Status.ATTACH_REFUSED, "the profiler's jar has no class " + name);
        } catch (UnsupportedClassVersionError e) {
            throw new ProfilerException(
                    Status.ATTACH_REFUSED,
                    "the profiler is built for a newer Java than the target's "
                            + Runtime.version().feature() + ": " + e.getMessage());
        }
        if (!Profiler.class.isAssignableFrom(type)) {
            throw new ProfilerException(Status.ATTACH_REFUSED, name + " does not implement mayfly.api.Profiler");
        }
        try {
            return (Profiler) type.getConstructor().newInstance();
        } catch (NoSuchMethodException | IllegalAccessException | InstantiationException e) {
            throw new ProfilerException(Status.ATTACH_REFUSED, name + " has no public constructor without parameters");
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
