package mayfly.report.tree;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The kinds of the frames of one tree, numbered in the order of the legend: the kinds of methods first, and among these
 * the runtimes' own tiers after the constants.
 */
final class Kinds {
    /** Upper bound on the runtimes' own tiers, because a hostile capture can contain many. */
    static final int MAX_TIERS = 32;

    private final List<Kind> kinds = new ArrayList<>();
    private final Map<Kind, Integer> numbers = new HashMap<>();
    private final int managed;

    Kinds(Iterable<Kind> used) {
        Kind.CONSTANTS.stream().filter(Kind::isManaged).forEach(this::add);
        int most = kinds.size() + MAX_TIERS;
        for (Kind kind : used) {
            if (kind.isManaged() && kinds.size() < most) {
                add(kind);
            }
        }
        managed = kinds.size();
        Kind.CONSTANTS.forEach(this::add);
    }

    private void add(Kind kind) {
        if (numbers.putIfAbsent(kind, kinds.size()) == null) {
            kinds.add(kind);
        }
    }

    /** Returns the number of a kind; that of {@link Kind#COMPILED} for a tier in excess of {@link #MAX_TIERS}. */
    int numberOf(Kind kind) {
        Integer number = numbers.get(kind);
        return number != null ? number : numbers.getOrDefault(Kind.COMPILED, 0);
    }

    Kind get(int number) {
        return kinds.get(number);
    }

    List<Kind> all() {
        return List.copyOf(kinds);
    }

    /** Returns how many of the kinds are kinds of methods, which have the lowest numbers. */
    int managed() {
        return managed;
    }
}
