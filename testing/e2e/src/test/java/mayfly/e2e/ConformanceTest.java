package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** docs/conformance.md is about the tests that there are. */
class ConformanceTest {
    @Test
    void everyRequirementHasATestAndEveryTestARequirement() {
        Map<String, String[]> named = ConformancePage.named();
        assertThat(named.values().stream().flatMap(Arrays::stream).distinct())
                .containsExactlyInAnyOrderElementsOf(ConformancePage.requirements().keySet());
        assertThat(named.values()).allSatisfy(ids -> assertThat(ids).hasSizeBetween(1, 3));
    }

    @Test
    void thePageNamesOnlyTestsThatThereAre() throws Exception {
        List<String> rows = Files.readAllLines(ConformancePage.FILE).stream()
                .filter(line -> line.matches("\\| [A-Z]-\\d\\d .*")).toList();
        assertThat(rows).hasSameSizeAs(ConformancePage.requirements().keySet());
        for (String row : rows) {
            String[] cells = row.split(" *\\| *");
            assertThat(cells[2]).isEqualTo(ConformancePage.requirements().get(cells[1]));
            for (String test : cells[3].split(", ")) {
                String[] ids = ConformancePage.named().getOrDefault(test.replace("`", ""), new String[0]);
                assertThat(ids).as("%s: mvn verify -Pdeep writes the page anew", test).contains(cells[1]);
            }
        }
    }

    @Test
    void aFailureOutweighsEverythingElse() {
        ConformancePage page = new ConformancePage();
        page.add(new String[] {"S-01"}, "A.b", 17, ConformancePage.Result.MET);
        page.add(new String[] {"S-01"}, "A.b", 17, ConformancePage.Result.FAILED);
        page.add(new String[] {"S-01"}, "A.c", 17, ConformancePage.Result.SKIPPED);
        page.add(new String[] {"S-01"}, "A.c", 25, ConformancePage.Result.MET);
        assertThat(page.text()).contains("| JDK 17 | JDK 25 |", "`A.b`, `A.c` | **not met** | met |");
    }
}
