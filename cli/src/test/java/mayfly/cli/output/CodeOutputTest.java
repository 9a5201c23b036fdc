package mayfly.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import mayfly.cli.JsonPage;
import mayfly.profile.Frame;
import mayfly.profile.RuntimeId;
import mayfly.stack.CodeAddresses;
import org.junit.jupiter.api.Test;

class CodeOutputTest {
    private static final RuntimeId R2 = new RuntimeId(2);
    private static final CodeAddresses CODE = new CodeAddresses(
            42,
            "a.Main",
            List.of("r1 HotSpot 17 at 0x1000", "r2 HotSpot 25 at 0x2000"),
            List.of(
                    new CodeAddresses.Code(
                            0x7f00,
                            List.of(
                                    new Frame.Managed(
                                            R2, "java", "inlined", "", "a.B", "in\u001b[2J", "()V", 3, 7, "B.java"),
                                    new Frame.Managed(
                                            R2, "java", "compiled", "C2", "a.B", "out", "()V", 5, 9, "B.java"))),
                    new CodeAddresses.Code(0x7f10, List.of(new Frame.Stub(R2, "call_stub"))),
                    new CodeAddresses.Code(-1, List.of()),
                    new CodeAddresses.Code(0x10, List.of(new Frame.Native("libjvm.so", 0x10, "f", true)))));

    @Test
    void textHasTheRuntimeOfEachAddressAndItsFrames() throws Exception {
        var out = new ByteArrayOutputStream();
        CodeOutput.writeText(CODE, out);
        assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("""
            0x7f00 r2
            \tat a.B.in\\u001b[2J(B.java:7) [inlined]
            \tat a.B.out(B.java:9) [c2]
            0x7f10 r2
            \tat call_stub (stub)
            0xffffffffffffffff unknown
            0x10
            \tat libjvm.so!f (VM)
            """);
    }

    @Test
    void jsonHasTheDocumentedFields() throws Exception {
        var out = new ByteArrayOutputStream();
        CodeOutput.writeJson(CODE, out);
        JsonNode root = new ObjectMapper().readTree(out.toByteArray());
        JsonPage page = JsonPage.read("stack-json.md");
        page.assertShape("The code at addresses", root);
        assertThat(root.get("addresses")).hasSize(4);
        for (JsonNode address : root.get("addresses")) {
            page.assertShape("The code at one address", address);
        }
        JsonNode method = root.get("addresses").get(0).get("frames").get(1);
        page.assertShape("A frame of kind `java`", method, "monitors");
        assertThat(method.get("runtime").asText()).isEqualTo("r2");
        assertThat(method.get("tier").asText()).isEqualTo("c2");
        page.assertShape(
                "A frame of kind `stub`",
                root.get("addresses").get(1).get("frames").get(0));
        assertThat(root.get("addresses").get(2).get("frames")).isEmpty();
    }
}
