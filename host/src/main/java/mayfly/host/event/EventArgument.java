package mayfly.host.event;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import mayfly.api.CompiledMethod;
import mayfly.api.Suspension;
import mayfly.api.event.InlinedMethod;
import mayfly.host.id.ClassSignature;
import org.jspecify.annotations.Nullable;

/**
 * The argument of an upcall for an event that has waited for the host's thread: an {@code Object[]} of a
 * {@code long[]}, three texts or an object and two texts, and a {@code String[]}. {@code queue.h} has the meaning of
 * the numbers.
 */
public final class EventArgument {
    private static final int SEQUENCE = 3;
    private static final int MORE = 4;

    private EventArgument() {}

    /** Returns a number. */
    public static long number(Object argument, int index) {
        return ((long[]) ((Object[]) argument)[0])[index];
    }

    /** Returns the sequence number of the event. */
    public static long sequence(Object argument) {
        return number(argument, SEQUENCE);
    }

    /** Returns a text; an empty one if it is absent. */
    public static String text(Object argument, int index) {
        return text((String) ((Object[]) argument)[index]);
    }

    private static String text(@Nullable String text) {
        return text == null ? "" : text;
    }

    /** Returns the object, or null. */
    public static @Nullable Object object(Object argument) {
        return ((Object[]) argument)[1];
    }

    /** Returns the name of a class with dots, from a text with slashes. */
    public static Optional<String> binaryName(Object argument, int index) {
        String name = (String) ((Object[]) argument)[index];
        return name == null ? Optional.empty() : Optional.of(name.replace('/', '.'));
    }

    /** Returns the suspension of all threads. */
    public static Suspension suspension(Object argument) {
        return new Suspension(
                number(argument, 4),
                text(argument, 1),
                Duration.ofNanos(number(argument, 1)),
                Duration.ofNanos(number(argument, 2)));
    }

    /** Returns the code of a compiled method. */
    public static CompiledMethod compiledMethod(Object argument) {
        return new CompiledMethod(
                ClassSignature.className((String) ((Object[]) argument)[1]),
                text(argument, 2),
                text(argument, 3),
                number(argument, 1),
                (int) number(argument, 2),
                inlined((String[]) ((Object[]) argument)[MORE]),
                number(argument, 4) != 0);
    }

    /** @param texts the class, the name and the descriptor of each method; null if there is none */
    private static List<InlinedMethod> inlined(@Nullable String @Nullable [] texts) {
        int count = texts == null ? 0 : texts.length / 3;
        List<InlinedMethod> methods = new ArrayList<>(count);
        for (int i = 0; texts != null && i < count; i++) {
            methods.add(new InlinedMethod(
                    ClassSignature.className(texts[3 * i]), text(texts[3 * i + 1]), text(texts[3 * i + 2])));
        }
        return Collections.unmodifiableList(methods);
    }
}
