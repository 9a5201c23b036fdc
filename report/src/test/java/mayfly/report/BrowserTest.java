package mayfly.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import mayfly.profile.Profile;
import mayfly.profile.Unit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The flame graph in a real browser, with real clicks and keys. */
@Tag("slow")
class BrowserTest {
    private static final String STATE = "mayfly.page.state.";

    @TempDir
    static Path folder;

    private static @Nullable Browser browser;
    private static @Nullable FlameGraphPage graph;
    private static Path service = Path.of("");

    @BeforeAll
    static void start() throws IOException {
        Optional<Path> program = Browser.find();
        assumeTrue(program.isPresent(), "no chromium on this machine");
        service = FlameGraphPage.save(folder.resolve("service.html"), Examples.service());
        browser = new Browser(program.get());
        graph = new FlameGraphPage(browser);
    }

    @AfterAll
    static void stop() throws IOException {
        if (browser != null) {
            browser.close();
        }
    }

    @Test
    void clickZoomsAndBreadcrumbOrEscapeZoomsOut() throws IOException {
        browser.open(service, "");
        graph.click("org.example.json.JsonReader.readObject");
        assertThat(graph.zoomed()).isEqualTo("org.example.json.JsonReader.readObject");
        assertThat(graph.text("crumbs")).startsWith("all › __clone3 ›").endsWith("› JsonReader.readObject");
        assertThat(browser.evaluate("location.hash")).startsWith("\"#z=");
        browser.evaluate("document.querySelectorAll('#crumbs button')[1].click()");
        assertThat(graph.zoomed()).isEqualTo("__clone3");
        browser.press("Escape");
        assertThat(graph.zoomed()).isEqualTo("all");
        graph.noTrouble();
    }

    @Test
    void tableRowLeadsToTheMethodInsideTheZoom() throws IOException {
        var recorded = new RecordingBuilder();
        recorded.stack("main", 9, "n lib.so a", "n lib.so job").stack("main", 2, "n lib.so z", "n lib.so job");
        browser.open(FlameGraphPage.save(folder.resolve("zoomed.html"), recorded.profile()), "");
        String zoom = "mayfly.page.state.zoom";
        browser.evaluate("mayfly.page.go({zoom: mayfly.page.tree.name.indexOf(mayfly.data.labels.indexOf('z')),"
                + " table: true})");
        double before = browser.number(zoom);
        graph.clickRow("job");
        assertThat(browser.number(zoom)).isEqualTo(before);
        assertThat(browser.number("mayfly.page.tree.parent[mayfly.page.view.focus]"))
                .isEqualTo(before);
        graph.noTrouble();
    }

    @Test
    void searchShowsTheShareOfAllAndOfTheZoom() throws IOException {
        browser.open(service, "");
        browser.press("/", "j", "s", "o", "n", "Enter");
        assertThat(browser.number("mayfly.page.matchedShare.all")).isCloseTo(488 / 2675.0, within(1e-9));
        assertThat(graph.text("matched")).isEqualTo("18.2 % · 1/3");
        browser.press("Escape");
        assertThat(graph.text("matched")).isEmpty();
        graph.click("org.example.json.JsonReader.readField");
        browser.press("/", "/", "^", "j", "a", "v", "a", "\\", ".", "/");
        assertThat(browser.number("mayfly.page.matchedShare.zoom")).isCloseTo(280 / 488.0, within(1e-9));
        assertThat(browser.number("mayfly.page.matchedShare.all")).isGreaterThan(0.5);
        graph.noTrouble();
    }

    @Test
    void nextAndPreviousSelectTheMatches() throws IOException {
        browser.open(service, "#q=binarySearch");
        browser.press("n");
        assertThat(graph.text("matched")).isEqualTo("38.9 % · 1/1");
        assertThat(graph.text("status"))
                .startsWith("org.h2.mvstore.MVMap.binarySearch · 1,040 samples · 38.9 % of all · self 15.0 %")
                .contains("C2 84.6 %, C1 15.4 %");
        browser.open(service, "#q=json");
        browser.press("n", "n");
        assertThat(graph.text("matched")).endsWith("2/3");
        browser.press("N");
        assertThat(graph.text("matched")).endsWith("1/3");
        graph.noTrouble();
    }

    @Test
    void invertedViewHasEveryLeafAtTheTop() throws IOException {
        browser.open(service, "");
        browser.press("i");
        assertThat(browser.evaluate(STATE + "inverted")).isEqualTo("true");
        assertThat(browser.text("mayfly.data.labels[mayfly.page.tree.name[1]]"))
                .isEqualTo("org.h2.value.ValueBigint.compareTypeSafe");
        assertThat(browser.number("mayfly.page.tree.total[0]")).isEqualTo(2675);
        assertThat(browser.number("mayfly.page.tree.total[1]")).isEqualTo(640);
        graph.noTrouble();
    }

    @Test
    void arrowKeysMoveTheFocusAndUpdateTheStatus() throws IOException {
        browser.open(service, "");
        browser.press("ArrowDown", "ArrowDown", "ArrowRight");
        assertThat(graph.text("status")).startsWith("thread_native_entry(Thread*)");
        browser.press("ArrowUp", "ArrowDown", "Enter");
        assertThat(graph.zoomed()).isEqualTo("start_thread");
        browser.press("h");
        assertThat(graph.text("status")).startsWith("org.h2.value.ValueBigint.compareTypeSafe · 640 samples");
        graph.noTrouble();
    }

    @Test
    void tableListsFramesAndSortsThemByColumn() throws IOException {
        browser.open(service, "");
        browser.press("t");
        assertThat(browser.text("mayfly.page.tableRows[0].name")).isEqualTo("org.h2.value.ValueBigint.compareTypeSafe");
        browser.evaluate("document.querySelector('[data-sort=total]').click()");
        assertThat(browser.text("mayfly.page.tableRows[0].name")).isEqualTo("__clone3");
        assertThat(browser.number("mayfly.page.tableRows[0].total")).isEqualTo(2659);
        browser.evaluate("document.querySelector('#rows button').click()");
        assertThat(browser.evaluate(STATE + "table")).isEqualTo("false");
        assertThat(browser.text(STATE + "query")).isEqualTo("\"__clone3\"");
        graph.noTrouble();
    }

    @Test
    void clickOnTableRowShowsOnlyThatFrame() throws IOException {
        var recorded = new RecordingBuilder();
        recorded.stack("main", 3, "n lib.so link")
                .stack("main", 5, "n lib.so linkAll")
                .stack("main", 7, "n lib.so unlink");
        browser.open(FlameGraphPage.save(folder.resolve("names.html"), recorded.profile()), "#t=1");
        String row = "[...document.querySelectorAll('#rows button')].find(b => b.textContent === 'link')";
        browser.evaluate(row + ".click()");
        assertThat(graph.text("matched")).isEqualTo("20.0 % · 1/1");
        assertThat(graph.text("status")).startsWith("link · 3 samples");
        assertThat(browser.evaluate("location.hash")).startsWith("\"#n=");
        browser.press("/", "l", "i", "n", "k");
        assertThat(graph.text("matched")).isEqualTo("100.0 % · 3");
        browser.press("Escape");
        browser.press("/", "\"", "l", "i", "n", "k", "\"");
        assertThat(graph.text("matched")).isEqualTo("20.0 % · 1");
        graph.noTrouble();
    }

    @Test
    void enterSelectsMatchesFromLargestToSmallest() throws IOException {
        var recorded = new RecordingBuilder();
        recorded.stack("main", 9, "n lib.so a", "n lib.so b", "n lib.so c", "n lib.so job one")
                .stack("main", 2, "n lib.so a", "n lib.so job two")
                .stack("main", 30, "n lib.so z", "n lib.so y", "n lib.so job three");
        browser.open(FlameGraphPage.save(folder.resolve("jobs.html"), recorded.profile()), "");
        browser.press("/", "j", "o", "b", "Enter");
        assertThat(graph.text("status")).startsWith("job three");
        browser.press("Enter");
        assertThat(graph.text("status")).startsWith("job one");
        browser.press("Enter");
        assertThat(graph.text("status")).startsWith("job two");
        graph.noTrouble();
    }

    @Test
    void flameViewScrollsToTheRootWhenItOpensAndCloses() throws IOException {
        var deep = new String[200];
        Arrays.setAll(deep, i -> "n lib.so f" + i);
        browser.open(
                FlameGraphPage.save(
                        folder.resolve("deep.html"),
                        new RecordingBuilder().stack("main", 5, deep).profile()),
                "");
        String scrolled = "document.getElementById('stage').scrollTop";
        browser.press("f");
        assertThat(browser.number(scrolled)).isGreaterThan(1000);
        browser.press("/", "f", "Escape");
        assertThat(browser.number(scrolled)).as("a search does not scroll").isGreaterThan(1000);
        browser.press("f");
        assertThat(browser.number(scrolled)).isZero();
        graph.noTrouble();
    }

    @Test
    void flameViewKeepsTheRootVisibleOnResize() throws IOException {
        var deep = new String[60];
        Arrays.setAll(deep, i -> "n lib.so f" + i);
        browser.open(
                FlameGraphPage.save(
                        folder.resolve("resized.html"),
                        new RecordingBuilder().stack("main", 5, deep).profile()),
                "#f=1");
        String below = "(s => s.scrollHeight - s.clientHeight - s.scrollTop)(document.getElementById('stage'))";
        try {
            for (int height : new int[] {760, 460, 700, 860}) {
                browser.size(1440, height, 1);
                browser.frame();
                browser.frame();
                assertThat(browser.number(below))
                        .as("pixels below the window, %d pixels high", height)
                        .isLessThan(1);
            }
            String scrolled = "document.getElementById('stage').scrollTop";
            double before = browser.number(scrolled + " -= 200");
            browser.frame();
            browser.size(1440, 760, 1);
            browser.frame();
            browser.frame();
            assertThat(browser.number(below)).as("distance from the root").isCloseTo(200, within(1.0));
            assertThat(browser.number(scrolled)).isCloseTo(before + 100, within(1.0));
        } finally {
            browser.size(1440, 860, 1);
        }
        graph.noTrouble();
    }

    @Test
    void matchTooNarrowToDrawIsZoomedUntilVisible() throws IOException {
        var recorded = new RecordingBuilder();
        recorded.stack("main", 8000, "n lib.so hay")
                .stack("main", 1, "n lib.so hay", "n lib.so needle")
                .stack("main", 1, "n lib.so hay", "n lib.so shaft", "n lib.so point");
        Path page = FlameGraphPage.save(folder.resolve("needle.html"), recorded.profile());
        String width = "mayfly.page.view.boxOf(mayfly.page.view.focus).width";
        browser.open(page, "");
        browser.press("/", "n", "e", "e", "d", "l", "e", "Enter");
        assertThat(graph.text("status")).startsWith("needle");
        assertThat(browser.number(width)).isGreaterThanOrEqualTo(30);
        browser.open(page, "");
        browser.press("/", "p", "o", "i", "n", "t", "Enter");
        assertThat(graph.zoomed())
                .as("the farthest caller that makes it wide enough")
                .isEqualTo("shaft");
        browser.open(page, "#t=1");
        graph.clickRow("needle");
        assertThat(graph.text("status")).startsWith("needle");
        assertThat(browser.number(width)).isGreaterThanOrEqualTo(30);
        graph.noTrouble();
    }

    @Test
    void nextMatchFromTheTableOfAFreshPageZooms() throws IOException {
        var recorded = new RecordingBuilder();
        recorded.stack("main", 200, "n lib.so hay")
                .stack("main", 1, "n lib.so hay", "n lib.so stalk", "n lib.so needle");
        browser.open(FlameGraphPage.save(folder.resolve("stalk.html"), recorded.profile()), "#t=1&q=needle");
        browser.press("n");
        assertThat(browser.evaluate(STATE + "table")).isEqualTo("false");
        assertThat(graph.zoomed()).isEqualTo("stalk");
        graph.noTrouble();
    }

    @Test
    void secondClickOnATableRowShowsTheLargestMatchAgain() throws IOException {
        var recorded = new RecordingBuilder();
        recorded.stack("main", 3, "n lib.so a", "n lib.so job")
                .stack("main", 5, "n lib.so b", "n lib.so job")
                .stack("main", 7, "n lib.so c", "n lib.so job");
        browser.open(FlameGraphPage.save(folder.resolve("again.html"), recorded.profile()), "");
        for (int i = 0; i < 2; i++) {
            browser.press("t");
            graph.clickRow("job");
            assertThat(graph.text("matched")).as("click " + (i + 1)).endsWith("1/3");
            assertThat(graph.text("status")).startsWith("job").contains(" 46.7 % of all");
        }
        graph.noTrouble();
    }

    @Test
    void invertedFlatProfileGroupsNarrowFramesAsOther() throws IOException {
        var recorded = new RecordingBuilder();
        recorded.stack("main", 4000, "n lib.so heavy");
        for (int i = 0; i < 6000; i++) {
            recorded.stack("main", 1, "n lib.so light" + i);
        }
        browser.open(FlameGraphPage.save(folder.resolve("flat.html"), recorded.profile()), "#i=1");
        assertThat(browser.number("mayfly.page.view.others[1][0].count")).isEqualTo(6000);
        assertThat(browser.number("mayfly.page.view.others[1][0].total / mayfly.page.tree.total[0]"))
                .isCloseTo(0.6, within(1e-9));
        String bounds = "document.getElementById('graph').getBoundingClientRect()";
        double x = browser.number(bounds + ".x + " + bounds + ".width * 0.9");
        double y = browser.number(bounds + ".y + 6 + 21 * 1.5");
        browser.hover(x, y);
        assertThat(graph.text("tip")).startsWith("6,000 other frames").contains("60.0 % of all");
        browser.click(x, y);
        assertThat(browser.evaluate(STATE + "table")).isEqualTo("true");
        graph.noTrouble();
    }

    @Test
    void boundedInvertedTreeShowsTheRestAsOther() throws IOException {
        var recorded = new RecordingBuilder();
        recorded.stack("main", 40, "n lib.so caller", "n lib.so heavy").stack("main", 30, "n lib.so caller");
        recorded.stack("main", 20, "n lib.so b").stack("main", 10, "n lib.so c");
        browser.open(FlameGraphPage.save(folder.resolve("bounded.html"), recorded.profile()), "");
        browser.evaluate("void (mayfly.page.trees[1] = mayfly.data.tree.inverted(mayfly.data.labels.length, 3))");
        browser.press("i");
        assertThat(browser.number("mayfly.page.tree.total[0]")).isEqualTo(100);
        assertThat(browser.evaluate("mayfly.page.view.others[1]"))
                .isEqualTo("[{\"caller\":0,\"start\":70,\"total\":30,\"count\":2}]");
        assertThat(graph.text("status"))
                .contains("70.0 % of all is shown without some of its callers: the" + " inverted graph has 3 frames");
        browser.press("i");
        assertThat(browser.number("mayfly.page.view.others.length")).isZero();
        assertThat(graph.text("status")).doesNotContain("callers");
        graph.noTrouble();
    }

    @Test
    void printedGraphIsWhole() throws IOException {
        var deep = new String[200];
        Arrays.setAll(deep, i -> "n lib.so f" + i);
        String drawn = "mayfly.page.view.drawn";
        for (String address : new String[] {"", "#f=1"}) {
            browser.open(
                    FlameGraphPage.save(
                            folder.resolve("printed.html"),
                            new RecordingBuilder().stack("main", 5, deep).profile()),
                    address);
            browser.frame();
            assertThat(browser.number(drawn)).isLessThan(60);
            browser.evaluate("void dispatchEvent(new Event('beforeprint'))");
            assertThat(browser.number(drawn)).isEqualTo(201);
            assertThat(browser.number("document.getElementById('graph').height"))
                    .isEqualTo(201 * 21 + 12);
            browser.evaluate("void dispatchEvent(new Event('afterprint'))");
            assertThat(browser.number(drawn)).isLessThan(60);
        }
        graph.noTrouble();
    }

    @Test
    void toolbarOfANarrowWindowHasOneRow() throws IOException {
        try {
            for (int width : new int[] {320, 360, 600, 1440}) {
                browser.size(width, 640, 1);
                browser.open(service, "");
                assertThat(browser.number("new Set([...document.querySelectorAll('.tools button')]"
                                + ".map(button => button.offsetTop + button.offsetHeight / 2)).size"))
                        .as("%d pixels wide", width)
                        .isOne();
            }
        } finally {
            browser.size(1440, 860, 1);
        }
        graph.noTrouble();
    }

    @Test
    void viewIsRestoredFromTheUrl() throws IOException {
        browser.open(service, "#z=13&f=1&q=hash&theme=dark");
        assertThat(browser.number(STATE + "zoom")).isEqualTo(13);
        assertThat(browser.evaluate("document.documentElement.dataset.theme")).isEqualTo("\"dark\"");
        assertThat(browser.evaluate("document.getElementById('flip').getAttribute('aria-pressed')"))
                .isEqualTo("\"true\"");
        browser.open(service, "#z=99999999&t=x&q=%2F(%2F");
        assertThat(browser.number(STATE + "zoom")).isZero();
        assertThat(graph.text("matched")).isEqualTo("not a regular expression");
        graph.noTrouble();
    }

    @Test
    void ledgerAndLegendAreShown() throws IOException {
        browser.open(service, "");
        browser.press("d");
        assertThat(browser.evaluate("document.getElementById('details').open")).isEqualTo("true");
        assertThat(graph.text("facts"))
                .contains("broken: no_cfi12 (0.44 %)", "CPU in /proc27.03 s", "under-represented");
        assertThat(graph.text("legend"))
                .contains("interpreted3.3 %", "C223.3 %", "inlined39.0 %", "incomplete stacks0.6 %");
        graph.noTrouble();
    }

    @Test
    void tiersOfAnotherRuntimeHaveTheirOwnWordsInTheLegendAndInTheStatus() throws IOException {
        Profile profile = new RecordingBuilder()
                .stack("main", 3, List.of(OtherRuntimesTest.coreClr("Tier1", "Sum")))
                .stack("main", 1, List.of(OtherRuntimesTest.coreClr("R2R", "Sum")))
                .profile();
        browser.open(FlameGraphPage.save(folder.resolve("coreclr.html"), profile), "#q=Sum");
        browser.press("n");
        assertThat(graph.text("legend")).contains("Tier175.0 %", "R2R25.0 %").doesNotContain("C2");
        assertThat(graph.text("status")).contains("Tier1 75.0 %, R2R 25.0 %");
        graph.noTrouble();
    }

    @Test
    void canvasFollowsThePixelRatioAndSize() throws IOException {
        browser.size(1000, 700, 2);
        browser.open(service, "");
        assertThat(browser.number("document.getElementById('graph').width")).isEqualTo(2 * 984);
        browser.size(600, 500, 3);
        browser.frame();
        browser.frame();
        assertThat(browser.number("document.getElementById('graph').width")).isEqualTo(3 * 584);
        browser.size(1440, 860, 1);
        graph.noTrouble();
    }

    @Test
    void textContrastIsSufficientInLightAndDark() throws IOException {
        for (String theme : new String[] {"light", "dark"}) {
            browser.open(service, "#theme=" + theme);
            double least = browser.number("""
                (() => {
                  const view = mayfly.page.view;
                  const light = rgb => rgb.map(c => c / 255)
                          .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
                    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
                  const ink = light(view.ink.match(/\\d+/g).map(Number));
                  return Math.min(...view.fills.map(light).map(l => (Math.max(l, ink) + 0.05) / (Math.min(l,
                          ink) + 0.05)));
                })()\
                """);
            assertThat(least).as(theme).isGreaterThan(4.5);
        }
    }

    @Test
    void hostileNamesInjectNothing() throws IOException {
        String hostile = "</script><img src=x onerror='window.hit=1'>\u202e\u0007{{data}}" + "<b>".repeat(20_000);
        Path page = FlameGraphPage.save(
                folder.resolve("hostile.html"),
                new RecordingBuilder(Unit.NANOSECONDS, hostile, hostile)
                        .stack(hostile, 5, "2 x." + hostile, "n " + hostile + " y")
                        .profile());
        browser.open(page, "#q=img");
        browser.press("n", "Enter", "t");
        browser.press("t", "d");
        assertThat(browser.evaluate("window.hit")).isEqualTo("null");
        assertThat(browser.number("document.querySelectorAll('img, b:not(#legend b, #tip b)').length"))
                .isZero();
        assertThat(browser.number("mayfly.page.tree.total[0]")).isEqualTo(5);
        graph.noTrouble();
    }

    @Test
    void hundredThousandFramesAreCulledToTheView() throws IOException {
        browser.open(FlameGraphPage.save(folder.resolve("large.html"), Examples.large(20_000)), "");
        assertThat(browser.number("mayfly.data.tree.size")).isGreaterThan(100_000);
        assertThat(browser.number("mayfly.page.view.drawn / mayfly.data.tree.size"))
                .isBetween(0.001, 0.3);
        assertThat(browser.number("mayfly.data.tree.inverted(mayfly.data.labels.length).total[0]"))
                .isEqualTo(browser.number("mayfly.data.tree.total[0]"));
        assertThat(browser.text("(() => { document.getElementById('invert').click();"
                        + " return document.getElementById('status').textContent; })()"))
                .isEqualTo("inverting …");
        graph.awaitInverted();
        assertThat(graph.text("status")).startsWith("all");
        graph.noTrouble();
    }

    @Test
    void addressOfALargeInvertedViewShowsAStatusBeforeTheInversion() throws IOException {
        browser.open(FlameGraphPage.save(folder.resolve("inverted.html"), Examples.large(20_000)), "#f=1");
        assertThat(browser.text("(() => { location.hash = '#i=1&z=3'; mayfly.page.fromAddress();"
                        + " return document.getElementById('status').textContent; })()"))
                .isEqualTo("inverting …");
        graph.awaitInverted();
        assertThat(browser.number(STATE + "zoom")).isEqualTo(3);
        assertThat(browser.text("location.hash")).isEqualTo("#z=3&i=1");
        browser.open(folder.resolve("inverted.html"), "#i=1");
        graph.awaitInverted();
        assertThat(graph.text("status")).startsWith("all");
        graph.noTrouble();
    }

    @Test
    void aRecordingWithoutSamplesOpens() throws IOException {
        browser.open(FlameGraphPage.save(folder.resolve("empty.html"), new RecordingBuilder().profile()), "");
        browser.press("i", "t", "t", "h");
        assertThat(graph.text("status")).startsWith("all");
        graph.noTrouble();
    }
}
