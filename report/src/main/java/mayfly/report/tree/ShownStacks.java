package mayfly.report.tree;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import mayfly.profile.Frame;
import mayfly.profile.Profile;
import mayfly.profile.RuntimeId;
import org.jspecify.annotations.Nullable;

/**
 * A cursor over the stacks of the samples, filtered by the options, for formats that keep samples separate. A special
 * frame replaces missing frames, with the same text in every format. Call {@link #moveTo} with a sample, then read its
 * frames.
 */
public final class ShownStacks {
    /**
     * Upper bound on the shown frames, because a small hostile capture can contain many. A capture of ten million
     * samples has fewer.
     */
    private static final long MAX_FRAMES = 1L << 30;

    /**
     * A frame as it is shown.
     *
     * @param label the name in collapsed output, before escaping
     * @param frame the recorded frame; null for the name of a thread and for the replacement of missing frames
     */
    public record Shown(String label, @Nullable Frame frame) {}

    private final Profile profile;
    private final ConversionOptions options;
    private final boolean[] wanted;
    private final List<Shown> table = new ArrayList<>();
    private final Map<String, Integer> words = new HashMap<>();
    private int[] path = new int[256];
    private int depth;
    private long framesSoFar;

    public ShownStacks(Profile profile, ConversionOptions options) {
        this.profile = profile;
        this.options = options;
        wanted = wantedStacks(profile, options.runtime());
        var labels = new HashMap<String, String>();
        for (Frame frame : profile.frames()) {
            table.add(new Shown(
                    labels.computeIfAbsent(FrameName.of(frame, options).label(), label -> label), frame));
        }
    }

    /**
     * Returns true for each stack of the profile that has a frame of a chosen runtime; true for all if {@code choice}
     * is null.
     */
    static boolean[] wantedStacks(Profile profile, RuntimeId.@Nullable Choice choice) {
        boolean[] stacks = new boolean[profile.stackCount()];
        if (choice == null) {
            Arrays.fill(stacks, true);
            return stacks;
        }
        var chosen = new HashMap<RuntimeId, Boolean>();
        Predicate<RuntimeId> isChosen = runtime -> chosen.computeIfAbsent(
                runtime, id -> choice.fits(id, profile.recording().versionOf(id)));
        for (int i = 1; i < stacks.length; i++) {
            boolean own = switch (profile.frames().get(profile.frameOf(i))) {
                case Frame.Managed managed -> isChosen.test(managed.runtime());
                case Frame.Stub stub -> isChosen.test(stub.runtime());
                case Frame.Native _, Frame.Kernel _, Frame.Omitted _ -> false;
            };
            stacks[i] = own || stacks[profile.parentOf(i)];
        }
        return stacks;
    }

    /** Returns true if the options include a sample. */
    public boolean shows(int sample) {
        return wanted[profile.stackOf(sample)];
    }

    /** Moves to a sample. */
    public void moveTo(int sample) {
        int stack = profile.stackOf(sample);
        depth = 0;
        if (framesSoFar > MAX_FRAMES) {
            add(word("[too many stacks]"));
            return;
        }
        for (int at = stack; at != 0; at = profile.parentOf(at)) {
            int frame = profile.frameOf(at);
            if (options.natives() || isKeptWithoutNatives(profile.frames().get(frame))) {
                add(frame);
            }
        }
        if (depth == 0 && stack != 0) {
            add(word("[native]"));
        }
        String missing = FrameName.missing(profile.outcomeOf(sample));
        if (!missing.isEmpty()) {
            add(word(missing));
        }
        if (options.threads()) {
            add(word(profile.threads().get(profile.threadOf(sample)).name()));
        }
        if (depth == 0) {
            add(word("[no frames]"));
        }
        framesSoFar += depth;
    }

    private static boolean isKeptWithoutNatives(Frame frame) {
        return switch (frame) {
            case Frame.Managed _, Frame.Omitted _ -> true;
            case Frame.Stub stub -> !stub.isCode();
            case Frame.Native _, Frame.Kernel _ -> false;
        };
    }

    private void add(int id) {
        if (depth == path.length) {
            path = Arrays.copyOf(path, depth * 2);
        }
        path[depth++] = id;
    }

    private int word(String label) {
        return words.computeIfAbsent(label, text -> {
            table.add(new Shown(text, null));
            return table.size() - 1;
        });
    }

    /** Returns the number of shown frames of the sample, at least 1. */
    public int depth() {
        return depth;
    }

    /** Returns the id of a frame of the sample, {@code aboveLeaf} frames above the leaf: 0 is the leaf itself. */
    public int frame(int aboveLeaf) {
        return path[aboveLeaf];
    }

    /** Returns the frame with an id. {@link #moveTo} may assign further ids. */
    public Shown shown(int id) {
        return table.get(id);
    }

    /** Returns the highest id so far plus 1. */
    public int size() {
        return table.size();
    }
}
