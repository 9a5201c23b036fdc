package mayfly.linux;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("privileged")
class ProcessImageTest {
    @Test
    void execOfTheSameProgramReplacesTheImage() throws Exception {
        try (CProgram program = CProgram.start("target", "x");
                LiveProcess p = LiveProcess.open(program.pid())) {
            program.line();
            try (ProcessImage first = p.image()) {
                assertThat(first.isReplaced()).isFalse();
                program.ask();
                assertThat(first.isReplaced()).isTrue();
                try (ProcessImage second = p.image()) {
                    assertThat(second.isReplaced()).isFalse();
                }
            }
        }
    }

    @Test
    void endOfTheProcessIsNoReplacement() throws Exception {
        try (CProgram program = CProgram.start("target", "b");
                LiveProcess p = LiveProcess.open(program.pid())) {
            program.line();
            try (ProcessImage image = p.image()) {
                program.kill();
                assertThat(image.isReplaced()).isFalse();
            }
        }
    }
}
