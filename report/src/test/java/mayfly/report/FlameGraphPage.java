package mayfly.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import mayfly.profile.Profile;
import mayfly.report.tree.ConversionOptions;

/** A flame graph that is open in a browser, with the actions of a user and what they see. */
final class FlameGraphPage {
    private final Browser browser;

    FlameGraphPage(Browser browser) {
        this.browser = browser;
    }

    static Path save(Path file, Profile profile) throws IOException {
        try (var out = Files.newOutputStream(file)) {
            Conversion.write(profile, Format.FLAMEGRAPH, ConversionOptions.DEFAULT, out);
        }
        return file;
    }

    static String nodeNamed(String name) {
        return "mayfly.data.tree.name.indexOf(mayfly.data.labels.indexOf('" + name + "'))";
    }

    void click(String name) throws IOException {
        String box = "(r => { const c = mayfly.page.view.boxOf(" + nodeNamed(name)
                + "), o = document.getElementById('graph').getBoundingClientRect(); return ";
        browser.click(
                browser.number(box + "c.x + o.x + c.width / 2; })()"),
                browser.number(box + "c.y + o.y + c.height / 2; })()"));
    }

    void clickRow(String name) throws IOException {
        browser.evaluate(
                "[...document.querySelectorAll('#rows button')].find(b => b.textContent === '" + name + "').click()");
    }

    String zoomed() throws IOException {
        return browser.text("mayfly.data.labels[mayfly.page.tree.name[mayfly.page.state.zoom]]");
    }

    String text(String id) throws IOException {
        return browser.text("document.getElementById('" + id + "').textContent");
    }

    void noTrouble() {
        assertThat(browser.events)
                .noneMatch(event -> event.contains("Runtime.exceptionThrown") || event.contains("Log.entryAdded"));
        assertThat(browser.events.stream()
                        .filter(event -> event.contains("Network.requestWillBeSent"))
                        .filter(event -> !event.contains("\"url\":\"file:") && !event.contains("\"url\":\"about:")))
                .isEmpty();
    }

    void awaitInverted() throws IOException {
        for (int frames = 0;
                frames < 20 && browser.evaluate("mayfly.page.state.inverted").equals("false");
                frames++) {
            browser.frame();
        }
        assertThat(browser.evaluate("mayfly.page.state.inverted")).isEqualTo("true");
    }
}
