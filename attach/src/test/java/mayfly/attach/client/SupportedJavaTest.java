package mayfly.attach.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import mayfly.attach.channel.AttachFailed;
import mayfly.linux.LiveProcess;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SupportedJavaTest {
    @TempDir
    private Path home = Path.of("");

    private int require(String library) throws Exception {
        try (LiveProcess self = LiveProcess.open((int) ProcessHandle.current().pid())) {
            return SupportedJava.require(self, library);
        }
    }

    private int require() throws Exception {
        return require(home.toRealPath() + "/lib/server/libjvm.so");
    }

    private void release(String version) throws Exception {
        Files.writeString(home.resolve("release"), "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"" + version + "\"\n");
    }

    @Test
    void jdk8IsRefusedByName() {
        String library = "/usr/lib/jvm/java-8-openjdk/jre/lib/amd64/server/libjvm.so";
        assertThatThrownBy(() -> require(library))
                .isInstanceOf(AttachFailed.class)
                .hasMessage("JDK 8 is not supported (" + library + "): a profiler can be hosted by Java 17 to 26");
    }

    @Test
    void libraryOfUnknownVersionIsRefused() {
        assertThatThrownBy(() -> require("/opt/jdk/lib/server/libjvm.so (deleted)"))
                .isInstanceOf(AttachFailed.class)
                .hasMessageContaining("was replaced while the process was running");
        assertThatThrownBy(() -> require("/opt/libjvm.so"))
                .isInstanceOf(AttachFailed.class)
                .hasMessageContaining("/opt/libjvm.so is not in the layout of a JDK");
        assertThatThrownBy(this::require).isInstanceOf(AttachFailed.class).hasMessageContaining("an unknown version");
    }

    @Test
    void versionIsReadFromTheReleaseFile() throws Exception {
        for (String version : new String[] {"17", "21.0.8", "25.0.3", "26-ea"}) {
            release(version);
            assertThat(require()).isEqualTo(Integer.parseInt(version.substring(0, 2)));
        }
        for (String version : new String[] {"11.0.28", "16", "27"}) {
            release(version);
            assertThatThrownBy(this::require)
                    .isInstanceOf(AttachFailed.class)
                    .hasMessage("a profiler can be hosted by Java 17 to 26, not by Java " + version.substring(0, 2));
        }
    }
}
