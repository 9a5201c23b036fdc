package mayfly.attach.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

class ClassLocationTest {

    @Test
    void locationOfAClassFileIsItsClassPathDirectory() throws IOException {
        Path directory = ClassLocation.of(ClassLocationTest.class);
        assertThat(directory.resolve("mayfly/attach/client/ClassLocationTest.class"))
                .isRegularFile();
        assertThat(directory).isEqualTo(Path.of(directory.toString()).normalize());
    }

    @Test
    void classOfAJarHasThePathOfTheJar() throws IOException {
        Path jar = ClassLocation.of(Assertions.class);
        assertThat(jar.getFileName()).asString().endsWith(".jar");
        assertThat(Files.isRegularFile(jar)).isTrue();
    }

    @Test
    void locationOfAJdkClassIsAnError() {
        assertThatThrownBy(() -> ClassLocation.of(String.class))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("java.lang.String");
    }
}
