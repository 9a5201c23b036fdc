package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A program with a security manager, whose code must not run on a thread of the host. */
class SecurityManagerTest {
    @TempDir
    private Path folder;

    /** JDK 24 and later do not start with a security manager. */
    static List<Jdk> jdks() {
        return AttachTest.hosts().stream().filter(jdk -> jdk.feature() < 24).toList();
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void attachToAProgramWithASecurityManagerIsRefused(Jdk jdk) throws Exception {
        Path policy = Files.writeString(folder.resolve("policy"), "grant { permission java.security.AllPermission; };");
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn")
                .on(jdk)
                .with("-Djava.security.manager", "-Djava.security.policy==" + policy)
                .start()) {
            AttachFailed refused = Attached.failure(() -> Attached.to(jvm, folder, ""));
            assertThat(refused.status()).isEqualTo(Status.ATTACH_REFUSED);
            assertThat(refused).hasMessageContaining("the program has a security manager");
            HostTrace.awaitNone(jvm);
        }
    }
}
