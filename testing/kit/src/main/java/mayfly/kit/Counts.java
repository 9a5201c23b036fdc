package mayfly.kit;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Stacks with their sample counts, read from collapsed text.
 *
 * @param stacks frames joined with semicolons, root first, and their counts
 */
public record Counts(Map<String, Long> stacks) {
    public Counts {
        stacks = Map.copyOf(stacks);
    }

    /** Reads lines of {@code frame;frame COUNT}. */
    public static Counts parse(String collapsed) {
        Map<String, Long> stacks = new TreeMap<>();
        for (String line : collapsed.lines().toList()) {
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            int blank = line.lastIndexOf(' ');
            if (blank < 0) {
                throw new AssertionError("not a collapsed line: " + line);
            }
            stacks.merge(line.substring(0, blank), Long.valueOf(line.substring(blank + 1)), Long::sum);
        }
        return new Counts(stacks);
    }

    public long total() {
        return stacks.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Returns the number of samples whose stack satisfies a condition on its frames, root first. */
    public long of(Predicate<List<String>> condition) {
        return stacks.entrySet().stream()
                .filter(e -> condition.test(List.of(e.getKey().split(";"))))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    /** Returns the number of samples whose stacks contain a frame. */
    public long with(String frame) {
        return of(frames -> frames.contains(frame));
    }

    /** Returns the number of samples with a frame at their leaf. */
    public long atLeaf(String frame) {
        return of(frames -> frames.getLast().equals(frame));
    }

    /** Returns the most frequent stacks, for the message of a failed test. */
    public String top(int count) {
        StringBuilder text = new StringBuilder();
        stacks.entrySet().stream()
                .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
                .limit(count)
                .forEach(e ->
                        text.append(e.getValue()).append(' ').append(e.getKey()).append('\n'));
        return text.toString();
    }

    /**
     * Fails unless a count is a share of a total within the statistical error (four standard deviations of a binomial
     * distribution) and an additional bias.
     *
     * @param expected the true share, 0 to 1
     * @param bias the tolerance beyond the statistical error, such as 0.02 for two percentage points
     */
    public static void assertShare(String what, long count, long total, double expected, double bias) {
        if (total <= 0) {
            throw new AssertionError(what + ": no samples");
        }
        double share = (double) count / total;
        double chance = chance(expected, total);
        if (Math.abs(share - expected) > chance + bias) {
            throw new AssertionError("%s: %.2f %% of %d samples, expected %.2f %% +- %.2f (chance) +- %.2f (bias)"
                    .formatted(what, 100 * share, total, 100 * expected, 100 * chance, 100 * bias));
        }
    }

    /** Fails if a share is below a floor by more than the statistical error. */
    public static void assertAtLeast(String what, long count, long total, double floor) {
        if (total <= 0) {
            throw new AssertionError(what + ": no samples");
        }
        double share = (double) count / total;
        if (share + chance(floor, total) < floor) {
            throw new AssertionError("%s: %.3f %% of %d samples (%d are not), at least %.3f %% was expected"
                    .formatted(what, 100 * share, total, total - count, 100 * floor));
        }
    }

    /** Returns four standard deviations of a share, as a share. */
    public static double chance(double share, long total) {
        return 4 * Math.sqrt(share * (1 - share) / total);
    }
}
