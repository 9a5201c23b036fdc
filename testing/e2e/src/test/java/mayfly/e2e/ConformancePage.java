package mayfly.e2e;

import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import mayfly.kit.Project;

/** The tests that show each requirement, and their results on each JDK in one run. */
final class ConformancePage {
    static final Path FILE = Project.root().resolve("docs/conformance.md");

    /** Results from best to worst: the result of a requirement is that of its worst test. */
    enum Result {
        MET("met"),
        SKIPPED("skipped"),
        FAILED("**not met**");

        private final String word;

        Result(String word) {
            this.word = word;
        }
    }

    private final RequirementAnnotations shown;
    private final Set<String> ran = new TreeSet<>();
    /** The worst result for each requirement and JDK. */
    private final Map<String, Map<Integer, Result>> results = new TreeMap<>();

    ConformancePage(RequirementAnnotations shown) {
        this.shown = shown;
    }

    /** @param line a line of the journal: requirements, test, JDK and result, separated by tabs */
    void add(String line) {
        String[] cells = line.split("\t");
        add(cells[0].split(","), cells[1], Integer.parseInt(cells[2]), Result.valueOf(cells[3]));
    }

    void add(String[] ids, String test, int feature, Result result) {
        ran.add(test);
        for (String id : ids) {
            results.computeIfAbsent(id, unseen -> new TreeMap<>())
                    .merge(feature, result, (a, b) -> a.compareTo(b) > 0 ? a : b);
        }
    }

    /** Returns whether every test that names a requirement ran, so that the page covers all of them. */
    boolean isWhole() {
        return ran.containsAll(shown.tests().keySet());
    }

    /** @param run the time, commit and counts of the test run, as one line */
    String text(String run) {
        Set<Integer> jdks = new TreeSet<>();
        RequirementRow.all().forEach(row -> jdks.addAll(row.jdks()));
        StringBuilder page = new StringBuilder("""
            # Conformance

            The requirements of the [profiling contract](contract.md), with the tests that name them and the results of
            one run on each JDK.
            `mvn verify -Dconformance=write -Djdks=all` writes this page.

            """)
                .append("Run: ")
                .append(run)
                .append("\n\n")
                .append("""
                    | word | meaning |
                    |---|---|
                    | met | the tests show all of the requirement |
                    | partly | the tests show the requirement except for the part that the remark names |
                    | empty | the tests cannot fail if the requirement is not met, for the reason in the remark |
                    | **not met** | a test failed |
                    | skipped | a test could not run, see [skipped-tests.md](skipped-tests.md) |
                    | no test | no test names the requirement |
                    | not run | its tests did not run on that JDK |
                    | – | the requirement does not apply to that JDK |

                    | id | requirement | tests | remark |\
                    """);
        jdks.forEach(jdk -> page.append(" JDK ").append(jdk).append(" |"));
        page.append("\n|---|---|---|---|").append("---|".repeat(jdks.size())).append('\n');
        for (RequirementRow row : RequirementRow.all()) {
            page.append(cells(row, shown));
            jdks.forEach(jdk -> page.append(' ').append(word(row, jdk)).append(" |"));
            page.append('\n');
        }
        return page.toString();
    }

    /** Returns the cells of a row that do not depend on the run. */
    static String cells(RequirementRow row, RequirementAnnotations shown) {
        return "| " + row.id() + " | " + row.sentence() + " | "
                + shown.testsOf(row.id()).stream().map(test -> "`" + test + "`").collect(Collectors.joining(", "))
                + " | " + shown.remark(row.id()) + " |";
    }

    private String word(RequirementRow row, int jdk) {
        if (!row.jdks().contains(jdk)) {
            return "–";
        }
        if (shown.testsOf(row.id()).isEmpty()) {
            return "no test";
        }
        Result result = results.getOrDefault(row.id(), Map.of()).get(jdk);
        if (result == null) {
            return "not run";
        }
        if (result == Result.MET && shown.empty().containsKey(row.id())) {
            return "empty";
        }
        return result == Result.MET && shown.partly().containsKey(row.id()) ? "partly" : result.word;
    }
}
