package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** docs/conformance.md agrees with the annotations of the tests. */
class ConformanceTest {
    private static final RequirementAnnotations SHOWN = RequirementAnnotations.read();

    @Test
    void annotationsNameKnownRequirementsAndAtMostThreeEach() {
        List<String> known =
                RequirementRow.all().stream().map(RequirementRow::id).toList();
        assertThat(SHOWN.tests().values())
                .allSatisfy(ids -> assertThat(ids).hasSizeBetween(1, 3).isSubsetOf(known));
    }

    @Test
    void remarksConcernOnlyTestedRequirements() {
        var remarked = new TreeSet<>(SHOWN.partly().keySet());
        remarked.addAll(SHOWN.empty().keySet());
        assertThat(remarked)
                .allSatisfy(id -> assertThat(SHOWN.testsOf(id)).as(id).isNotEmpty());
        assertThat(SHOWN.partly().keySet())
                .doesNotContainAnyElementsOf(SHOWN.empty().keySet());
    }

    @Test
    void pageHasTheAnnotatedRowForEachRequirement() throws Exception {
        assumeFalse(Conformance.WRITE, "the page is written at the end of this run");
        String page = Files.readString(ConformancePage.FILE);
        assertThat(page)
                .containsPattern(
                        "\nRun: \\d{4}-\\d\\d-\\d\\d, commit [0-9a-f]{12}\\+?, (full counts|reduced counts)\n");
        List<String> rows =
                page.lines().filter(line -> line.matches("\\| [A-Z]-\\d\\d .*")).toList();
        assertThat(rows).hasSameSizeAs(RequirementRow.all());
        for (RequirementRow row : RequirementRow.all()) {
            assertThat(rows)
                    .as("mvn verify -Dconformance=write -Djdks=all rewrites the page")
                    .anyMatch(line -> line.startsWith(ConformancePage.cells(row, SHOWN)));
        }
    }

    @Test
    void failureOutweighsEveryOtherResult() {
        var page = new ConformancePage(shown(Map.of(), Map.of()));
        page.add("S-02\tA.b\t17\tMET");
        page.add("S-02,S-03\tA.b\t17\tFAILED");
        page.add(new String[] {"S-02"}, "A.c", 17, ConformancePage.Result.SKIPPED);
        page.add(new String[] {"S-02"}, "A.c", 25, ConformancePage.Result.MET);
        assertThat(page.text("now"))
                .contains(
                        "Run: now\n",
                        "| JDK 11 | JDK 17 | JDK 21 | JDK 25 | JDK 26 |",
                        "`A.b`, `A.c` |  | not run | **not met** | not run | met | not run |");
        assertThat(page.isWhole()).isTrue();
    }

    @Test
    void passedPartialOrEmptyTestsAreNotWrittenAsMet() {
        for (RequirementAnnotations shown :
                List.of(shown(Map.of("S-02", "half of it"), Map.of()), shown(Map.of(), Map.of("S-02", "none")))) {
            var page = new ConformancePage(shown);
            page.add(new String[] {"S-02"}, "A.b", 17, ConformancePage.Result.MET);
            String word = shown.partly().isEmpty() ? "empty" : "partly";
            assertThat(page.text("now")).contains("| " + shown.remark("S-02") + " | not run | " + word + " |");
            assertThat(page.isWhole()).isFalse();
        }
    }

    private static RequirementAnnotations shown(Map<String, String> partly, Map<String, String> empty) {
        var tests = new TreeMap<String, Set<String>>(Map.of("A.b", Set.of("S-02"), "A.c", Set.of("S-02")));
        return new RequirementAnnotations(tests, partly, empty);
    }
}
