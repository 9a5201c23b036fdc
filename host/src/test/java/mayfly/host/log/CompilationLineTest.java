package mayfly.host.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalInt;
import mayfly.api.event.Compilation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CompilationLineTest {
    @Test
    void methodHasItsClassDescriptorAndTier() {
        assertThat(CompilationLine.parse("Installing method (3) java.lang.String.getBytes([BIIBI)V "))
                .isEqualTo(new Compilation("java.lang.String", "getBytes", "([BIIBI)V", 3, OptionalInt.empty()));
        assertThat(CompilationLine.parse("Installing method (4) A.<init>(Ljava/lang/Object;)V"))
                .isEqualTo(new Compilation("A", "<init>", "(Ljava/lang/Object;)V", 4, OptionalInt.empty()));
    }

    @Test
    void loopHasItsBytecodeIndex() {
        assertThat(CompilationLine.parse("Installing osr method (4) com.example.Loop.run(I)I @ 4"))
                .isEqualTo(new Compilation("com.example.Loop", "run", "(I)I", 4, OptionalInt.of(4)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Installing ",
                "Installing method (",
                "Installing method (3",
                "Installing method (3) ",
                "Installing method (0) A.b()V",
                "Installing method (5) A.b()V",
                "Installing method (x) A.b()V",
                "Installing method (3) b()V",
                "Installing method (3) A.()V",
                "Installing osr method (3) A.b()V",
                "Installing osr method (3) A.b()V @ ",
                "Installing osr method (3) A.b()V @ 65536",
            })
    void otherLineIsNoCompilation(String line) {
        assertThat(CompilationLine.parse(line)).isNull();
    }
}
