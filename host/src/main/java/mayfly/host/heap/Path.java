package mayfly.host.heap;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import mayfly.api.ThreadId;
import mayfly.api.heap.ReferenceKind;
import mayfly.api.heap.ReferenceStep;
import mayfly.host.id.ClassSignature;
import org.jspecify.annotations.Nullable;

/** A path of references as the library returns it: a {@code long[]} of three numbers, and three texts for each step. */
public final class Path {
    private static final int PARTS = 3;

    private Path() {}

    /** Returns the steps. */
    public static List<ReferenceStep> steps(Object[] path, int runtime) {
        long[] numbers = (long[]) path[0];
        List<ReferenceStep> steps = new ArrayList<>();
        for (int at = 0; at + PARTS <= numbers.length; at += PARTS) {
            ReferenceKind kind = ReferenceKind.of((int) numbers[at]);
            String name = (String) path[1 + at];
            String represented = (String) path[1 + at + 2];
            long thread = numbers[at + 2];
            steps.add(new ReferenceStep(
                    kind,
                    Optional.ofNullable(kind == ReferenceKind.LOCAL_VARIABLE ? method(name) : name),
                    (int) numbers[at + 1],
                    ClassSignature.className((String) path[1 + at + 1]),
                    represented == null ? Optional.empty() : Optional.of(ClassSignature.className(represented)),
                    thread == 0 ? Optional.empty() : Optional.of(new ThreadId(runtime, thread))));
        }
        return steps;
    }

    /** Converts {@code Ljava/lang/String;.length} to {@code java.lang.String.length}. */
    private static @Nullable String method(@Nullable String text) {
        if (text == null) {
            return null;
        }
        int end = text.indexOf(";.");
        return end < 0
                ? text
                : ClassSignature.className(text.substring(0, end + 1)).concat(text.substring(end + 1));
    }
}
