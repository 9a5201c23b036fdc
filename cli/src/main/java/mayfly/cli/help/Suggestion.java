package mayfly.cli.help;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Suggests a word for a mistyped one. */
public final class Suggestion {
    /** Lower bound on the length of a typed word; a shorter one is equally close to most words. */
    private static final int MIN_LENGTH = 3;

    private static final int MAX_LENGTH = 40;

    private Suggestion() {}

    /**
     * Returns the word that begins with the typed text, if there is exactly one. Otherwise returns the closest word, in
     * which at most one letter in three may differ; a swap of neighbours counts once.
     */
    public static Optional<String> of(String typed, Collection<String> words) {
        if (typed.length() < MIN_LENGTH || typed.length() > MAX_LENGTH) {
            return Optional.empty();
        }
        List<String> longer =
                words.stream().filter(word -> word.startsWith(typed)).toList();
        if (longer.size() == 1) {
            return Optional.of(longer.getFirst());
        }
        return words.stream()
                .filter(word -> distance(typed, word) <= Math.max(1, word.length() / 3))
                .min(Comparator.comparingInt(word -> distance(typed, word)));
    }

    /** Returns the number of insertions, deletions, replacements and swaps of neighbours between two words. */
    private static int distance(String a, String b) {
        int[][] cost = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    cost[i][j] = i + j;
                    continue;
                }
                int replaced = cost[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                cost[i][j] = Math.min(replaced, 1 + Math.min(cost[i - 1][j], cost[i][j - 1]));
                if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
                    cost[i][j] = Math.min(cost[i][j], cost[i - 2][j - 2] + 1);
                }
            }
        }
        return cost[a.length()][b.length()];
    }
}
