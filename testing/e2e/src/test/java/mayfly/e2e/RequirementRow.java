package mayfly.e2e;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/**
 * One requirement of the profiling contract.
 *
 * @param id its id, such as {@code A-04}
 * @param jdks the JDKs that it applies to
 * @param sentence the requirement
 */
record RequirementRow(String id, Set<Integer> jdks, String sentence) {
    /** JDKs that can run a host. */
    private static final Set<Integer> INSIDE = Set.of(17, 21, 25, 26);
    /** JDKs that are sampled and dumped from another process. */
    private static final Set<Integer> OUTSIDE = Set.of(11, 17, 21, 25, 26);

    /** Returns all requirements, in the order of the contract. */
    static List<RequirementRow> all() {
        try (InputStream in = RequirementRow.class.getResourceAsStream("requirements.tsv")) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .map(line -> line.split("\t", 3))
                    .map(cells -> new RequirementRow(cells[0], jdks(cells[1]), cells[2]))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Set<Integer> jdks(String side) {
        return new TreeSet<>(
                switch (side) {
                    case "inside" -> INSIDE;
                    case "outside", "both" -> OUTSIDE;
                    default -> throw new IllegalArgumentException(side);
                });
    }
}
