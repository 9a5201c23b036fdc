package mayfly.cli.command;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.List;
import mayfly.cli.ClientSample;
import mayfly.cli.JsonPage;
import mayfly.profile.RuntimeId;
import org.junit.jupiter.api.Test;

/** The output of {@code attach}. */
class AttachCommandTest {

    @Test
    void jsonEqualsTheSamplesOfTheClientAndItsPage() throws IOException {
        ClientSample.compare("attach.json", AttachCommand.json(7, List.of(new RuntimeId(2))));
        String several = AttachCommand.json(7, List.of(new RuntimeId(1), new RuntimeId(3)));
        ClientSample.compare("attach-several.json", several);
        JsonPage.read("attach-json.md").assertShape("", new ObjectMapper().readTree(several));
    }
}
