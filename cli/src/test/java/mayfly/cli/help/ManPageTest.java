package mayfly.cli.help;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import mayfly.cli.command.Command;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ManPageTest {

    @ParameterizedTest
    @EnumSource(Command.class)
    void pageOfACommandDescribesEachOfItsOptions(Command command) {
        String page = ManPage.of(command, "1.2");
        assertThat(page).startsWith(".TH MAYFLY-" + command.name() + " 1 \"\" \"Mayfly 1.2\"\n.SH NAME\n");
        HelpPage.options(command.parser().getCommandSpec())
                .forEach(option -> assertThat(page).contains(".B " + ManPage.text(HelpPage.names(option)) + "\n"));
        assertThat(page.lines().filter(line -> line.startsWith(".")))
                .allMatch(line -> line.matches("\\.(TH|SH|TP|B|BR|I|br)( .*)?"));
    }

    @Test
    void overviewListsCommandsAndExitCodes() {
        String page = ManPage.overview(List.of(Command.values()), List.of("0 done", "1 failed"), "1.2");
        assertThat(page).contains(".B mayfly record\n", "0 done\n.br\n1 failed\n", ".BR mayfly\\-ps (1)");
    }

    @Test
    void charactersThatAreSpecialToManAreEscaped() {
        assertThat(ManPage.text(".mayfly -d C:\\x")).isEqualTo("\\&.mayfly \\-d C:\\ex");
        assertThat(ManPage.text("'quoted'")).isEqualTo("\\&'quoted'");
    }
}
