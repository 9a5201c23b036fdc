package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The tables of docs/contract.md are read strictly. */
class RequirementRowTest {
    private static final String ROW = "| A-01 | It works. | inside | By a host. |";

    private static List<RequirementRow> parse(String... rows) {
        return RequirementRow.parse(("# Page\n\n" + RequirementRow.HEADER + "\n" + RequirementRow.DELIMITER + "\n"
                        + String.join("\n", rows))
                .lines()
                .toList());
    }

    @Test
    void everySectionOfThePageIsRead() {
        List<RequirementRow> all = RequirementRow.all();
        assertThat(all.stream().map(row -> row.id().substring(0, 1)).distinct())
                .containsExactly("A", "R", "C", "D", "S", "T", "X", "G", "I");
        assertThat(all).extracting(RequirementRow::sentence).allMatch(sentence -> sentence.endsWith("."));
    }

    @Test
    void rowsHaveTheirIdSentenceAndJdks() {
        assertThat(parse(
                        ROW,
                        "| A-02 | It works (see 1). | outside | `x`. |",
                        "",
                        "Text.",
                        "",
                        "| other | table |",
                        "|---|---|",
                        "| cell | cell |",
                        "",
                        RequirementRow.HEADER,
                        RequirementRow.DELIMITER,
                        "| R-01 | It stops. | both | At once. |"))
                .containsExactly(
                        new RequirementRow("A-01", Set.of(17, 21, 25, 26), "It works."),
                        new RequirementRow("A-02", Set.of(11, 17, 21, 25, 26), "It works (see 1)."),
                        new RequirementRow("R-01", Set.of(11, 17, 21, 25, 26), "It stops."));
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', textBlock = """
        | A-01 | It works. | inside |; not 4 columns
        | A-01 | It works. | inside | By a host. | More. |; not 4 columns
        | A-01 | It works | or not. | inside | By a host. |; not 4 columns
        | A-01 | It|works. | inside | By a host. |; not 4 columns
        | A-01 | It works. | inside | By a host.; not '| ... |'
        |A-01 | It works. | inside | By a host. |; not '| ... |'
        | A-01 |  | inside | By a host. |; an empty
        | A-01 |  It works. | inside | By a host. |; an empty or indented cell
        | A-1 | It works. | inside | By a host. |; not an id
        | A-01 | It works. | between | By a host. |; a side that is not inside, outside or both
        | A-02 | It works. | inside | By a host. |; not the id A-01
        """)
    void malformedRowIsRefusedWithItsLine(String row, String why) {
        assertThatIllegalArgumentException().isThrownBy(() -> parse(row)).withMessageContainingAll("line 5", why, row);
    }

    @ParameterizedTest
    @ValueSource(strings = {"A-01", "A-03", "R-02"})
    void idThatIsNotTheNextOfItsSectionIsRefused(String second) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse(ROW, ROW.replace("A-01", second)))
                .withMessageContainingAll("line 6", "not the id A-02");
    }

    @Test
    void letterOfAnotherSectionIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse(ROW, "", RequirementRow.HEADER, RequirementRow.DELIMITER, ROW))
                .withMessageContainingAll("line 9", "a letter of another section");
    }

    @Test
    void requirementOutsideATableOfRequirementsIsRefused() {
        for (String header : List.of("", "| id | requirement | where | in Mayfly |\n|---|---|---|---|\n")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(
                            () -> RequirementRow.parse((header + ROW).lines().toList()))
                    .withMessageContaining("a requirement outside its table");
        }
    }

    @Test
    void tableWithoutRowsOrDelimiterAndPageWithoutTableAreRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> parse()).withMessageContaining("a table without rows");
        for (String page : List.of(RequirementRow.HEADER, RequirementRow.HEADER + "\n" + ROW)) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> RequirementRow.parse(page.lines().toList()))
                    .withMessageContaining("a header without");
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RequirementRow.parse(List.of("# Page")))
                .withMessage("the page has no requirement");
    }
}
