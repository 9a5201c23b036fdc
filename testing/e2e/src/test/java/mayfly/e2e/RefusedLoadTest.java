package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import mayfly.api.Status;
import mayfly.attach.client.ProfilerClient;
import mayfly.kit.Command;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A host that refuses an attach unloads its library. */
class RefusedLoadTest {
    @TempDir
    private Path folder;

    /** Returns all JDKs in every build, because only JDK 17 has the defect that the host avoids. */
    static List<Jdk> jdks() {
        return AttachTest.hosts();
    }

    /**
     * When a JVM closes the last reference to a library, HotSpot 17 logs the library's name from memory that the C
     * library has freed. MALLOC_PERTURB_ (mallopt(3)) overwrites freed memory.
     */
    @ParameterizedTest
    @MethodSource("jdks")
    void vmEventLogKeepsTheNameOfARefusedLibrary(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn")
                .on(jdk)
                .with("-XX:-ClassUnloading")
                .environment("MALLOC_PERTURB_", "165")
                .start()) {
            jcmd(jvm, "VM.version"); // the listener was there before, so that the host does not stop it
            assertThat(Attached.statusOf(
                            () -> ProfilerClient.attach(Attached.request(jvm, ProfilerJars.scripted(folder, ""), ""))))
                    .isEqualTo(Status.ATTACH_REFUSED);
            List<String> unloaded = jcmd(jvm, "VM.events")
                    .lines()
                    .filter(line -> line.contains("Unloaded shared library \""))
                    .map(line -> line.substring(line.indexOf('"') + 1))
                    .toList();
            assertThat(unloaded).allMatch(name -> name.startsWith("/"));
            assertThat(unloaded.isEmpty())
                    .as("JDK 17 keeps such a log")
                    .isEqualTo(jdk.feature() != 17 && unloaded.isEmpty());
            HostTrace.awaitNone(jvm);
        }
    }

    private static String jcmd(Jvm jvm, String command) throws Exception {
        Command done =
                Command.run(Attached.LIMIT, Jdk.current().tool("jcmd").toString(), Long.toString(jvm.pid()), command);
        assertThat(done.exitCode()).as(done.evidence()).isZero();
        return done.stdout();
    }
}
