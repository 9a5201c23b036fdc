package mayfly.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.TreeSet;
import mayfly.cli.ClientSample;
import mayfly.cli.JsonPage;
import mayfly.cli.command.PsCommand;
import mayfly.discovery.ProcessUsage;
import mayfly.discovery.RuntimeRow;
import mayfly.profile.RuntimeId;
import mayfly.stack.state.ThreadState;
import org.junit.jupiter.api.Test;

/** The output of {@code stack}, for a synthetic dump. */
class StackOutputTest {

    private static String text() throws IOException {
        var out = new ByteArrayOutputStream();
        StackText.write(Dumps.one(), out);
        return out.toString(StandardCharsets.UTF_8);
    }

    private static String json() throws IOException {
        var out = new ByteArrayOutputStream();
        StackJson.write(Dumps.one(), out);
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void stackTextIsLaidOutLikeAThreadDump() throws IOException {
        String evil = "evil\\u001b[2J\\u000a\"\\u202e";
        assertThat(text().lines().skip(1))
                .containsExactly("""
                    4 threads, 3 stopped, one at a time: median 23.4 us, longest 13130.2 us, 1 longer than \
                    10 ms, 1 not stopped because that would have ended a system call early
                    Unmounted virtual threads are not shown; --virtual shows them.
                    Deadlock: 2 threads wait for one another, see the end.
                    Deadlock: 2 threads wait for one another, see the end.

                    "main" #1 tid=4712 cpu=12.35ms elapsed=3.21s waiting
                    \tat libc.so.6!pthread_cond_wait (native)
                    \tat libjvm.so!ObjectMonitor::wait (VM)
                    \tat java.lang.Object.wait0(Native Method)
                    \t- waiting to lock <0x0000000062d01000> (a org.example.LockEVIL), held by "EVIL" tid=4713
                    \tat java.lang.Object.wait(Object.java:351)
                    \tat org.example.Main.main(Unknown Source)
                    \t- locked <0x0000000062d03000> (a org.example.LockEVIL)
                    \t- locked <0x0000000062d04000> (a org.example.LockEVIL), released in wait()
                    \t- eliminated <0x0000000062d05000> (a org.example.LockEVIL)
                    \t- eliminated <owner is scalar replaced> (a org.example.LockEVIL)
                    \t- locked <object not known>
                    \t- [monitor not read: it moves while it is read]
                    \tat call_stub (stub)
                    \tat 0x7f0000001000 (native)
                    \tat do_syscall_64_[k]
                       Locked ownable synchronizers that threads wait for:
                    \t- <0x0000000062d02000> (a org.example.LockEVIL)

                    "EVIL" #22 daemon tid=4713 elapsed=0.00s parked, stopped
                       Carrying virtual thread #23 "EVIL"
                    \t... 7 native frames
                    \tat a.EVIL.EVIL(EVIL:7)
                    \t- parking to wait for <0x0000000062d02000> (a org.example.LockEVIL), held by "main" tid=4712
                    \t... 12,345 frames omitted
                    \t... native frames may be missing
                    \t[truncated]

                    "GC Thread#0" tid=4714 cpu=0.00ms elapsed=0.00s running
                    \tat libz.so.1!EVIL (native)
                    \t[broken:no_cfi]

                    "x" tid=4715 cpu=0.00ms elapsed=0.00s uninterruptible\
                     [Java name not read: it moves while it is read]
                    \t- [lock not read: it moves while it is read]
                    \t[unsafe: it did not stop in time]

                    Deadlock of 2 threads:
                      "main" tid=4712 waiting to lock <0x0000000062d01000> (a org.example.LockEVIL),\
                     held by "EVIL" tid=4713
                      virtual thread #22 "EVIL" parking to wait for <0x0000000062d02000>\
                     (a org.example.LockEVIL), held by "main" tid=4712

                    Deadlock of 2 threads:
                      "first" tid=4716 waiting for the initialization of class org.example.LockEVIL\
                     by "second" tid=4717
                      "second" tid=4717 waiting to lock <0x0000000062d08000> (a org.example.LockEVIL),\
                     held by "first" tid=4716

                    Locks that threads wait for:
                      <0x0000000062d02000> (a org.example.LockEVIL), held by "main" tid=4712: 3 threads wait
                      <0x0000000062d01000> (a org.example.LockEVIL), held by "EVIL" tid=4713: 1 thread waits
                    """.replace("EVIL", evil).lines().toArray(String[]::new));
        assertThat(text().lines().findFirst().orElseThrow())
                .matches("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d  process 4711, org\\.example\\.Main.*, "
                        + "r1 HotSpot 25\\.0\\.3\\+9-LTS");
    }

    @Test
    void unmountedVirtualThreadsAreMentionedOnlyIfVirtualThreadsHaveRun() throws IOException {
        var text = new ByteArrayOutputStream();
        StackText.write(Dumps.withoutVirtualThreads(), text);
        assertThat(text.toString(StandardCharsets.UTF_8))
                .contains("4 threads, ")
                .doesNotContain("Unmounted");
        var json = new ByteArrayOutputStream();
        StackJson.write(Dumps.withoutVirtualThreads(), json);
        assertThat(new ObjectMapper()
                        .readTree(json.toString(StandardCharsets.UTF_8))
                        .get("unmounted")
                        .asBoolean(true))
                .isFalse();
        assertThat(new ObjectMapper().readTree(json()).get("unmounted").asBoolean())
                .isTrue();
    }

    @Test
    void virtualThreadsAreGroupedByTheirStacksInText() throws IOException {
        var out = new ByteArrayOutputStream();
        StackText.write(Dumps.withVirtualThreads(), out);
        String text = out.toString(StandardCharsets.UTF_8);
        String evil = "evil\\u001b[2J\\u000a\"\\u202e";
        assertThat(text).contains("""
            11 virtual threads are not mounted, in 2 groups; mounted: 3
            Virtual threads not read: 2 (its data is inconsistent)
            The virtual threads of r2 could not be read: it moves while it is read
            Virtual threads that no executor and no scope started are missing: the program runs with\
             -Djdk.trackAllThreads=false.
            """).endsWith("""

                10 virtual threads, parked: "EVIL0" #100 "EVIL1" #101 "EVIL2" #102 "EVIL3" #103 "EVIL4" #104\
                 "EVIL5" #105 "EVIL6" #106 "EVIL7" #107 ...
                \tat java.lang.Object.wait0(Native Method)
                \t- parking to wait for <0x0000000062d06030> (a org.example.LockEVIL),\
                 held by virtual thread #99, not mounted: 4 threads
                \t- parking to wait for <0x0000000062d06040> (a org.example.LockEVIL),\
                 held by virtual thread #99, not mounted: 1 thread
                \t- parking to wait for <0x0000000062d06050> (a org.example.LockEVIL),\
                 held by virtual thread #99, not mounted: 1 thread
                \t- and 2 more
                \tat java.lang.Object.wait(Object.java:351)
                \tat org.example.Main.main(Unknown Source)

                Virtual thread, running: #7
                \t[broken:stale_code]
                """.replace("EVIL", evil));
    }

    @Test
    void virtualThreadsInJsonHaveTheDocumentedShape() throws IOException {
        JsonPage page = JsonPage.read("stack-json.md");
        var out = new ByteArrayOutputStream();
        StackJson.write(Dumps.withVirtualThreads(), out);
        JsonNode virtual = new ObjectMapper()
                .readTree(out.toString(StandardCharsets.UTF_8))
                .get("virtual");
        page.assertShape("`virtual`", virtual);
        page.assertShape("`unread` virtual threads", virtual.get("unread").get(0));
        page.assertShape("An `unreadable` runtime", virtual.get("unreadable").get(0));
        JsonNode group = virtual.get("groups").get(0);
        page.assertShape("A group of virtual threads", group);
        page.assertShape("A virtual thread of a group", group.get("threads").get(0));
        page.assertShape("A virtual thread of a group", group.get("threads").get(9), "lock");
        page.assertShape("A frame of kind `java`", group.get("frames").get(0), "monitors");
        assertThat(group.get("threads").get(9).get("name").asText()).isEqualTo(Dumps.EVIL + 9);
        assertThat(virtual.get("threads").asInt()).isEqualTo(11);
        ClientSample.compare("stack-virtual.json", out.toString(StandardCharsets.UTF_8));
    }

    @Test
    void controlCharactersOfTheTargetAreEscaped() throws IOException {
        assertThat(text().chars().filter(c -> c != '\n' && c != '\t').noneMatch(Character::isISOControl))
                .isTrue();
        assertThat(text()).doesNotContain("\u202e");
        assertThat(json()).matches("[ -~]+\n").hasLineCount(1);
    }

    @Test
    void stackJsonHasTheDocumentedShape() throws IOException {
        JsonPage page = JsonPage.read("stack-json.md");
        JsonNode dump = new ObjectMapper().readTree(json());
        page.assertShape("The dump", dump, "virtual");
        assertThat(dump.get("schema").asText()).isEqualTo("mayfly-stack/1");
        page.assertShape("`stops`", dump.get("stops"));
        for (JsonNode deadlock : dump.get("deadlocks")) {
            page.assertShape("A deadlock", deadlock);
            for (JsonNode thread : deadlock.get("threads")) {
                page.assertShape("A thread of a deadlock", thread);
            }
        }
        var kinds = new TreeSet<String>();
        for (JsonNode thread : dump.get("threads")) {
            page.assertShape("A thread", thread, "java", "lock");
            if (thread.has("lock")) {
                page.assertShape("A `lock`", thread.get("lock"), "owner");
                if (thread.get("lock").has("owner")) {
                    page.assertShape("The `owner` of a lock", thread.get("lock").get("owner"));
                }
            }
            if (thread.has("java")) {
                page.assertShape("`java` of a thread", thread.get("java"), "mounted");
                if (thread.get("java").has("mounted")) {
                    page.assertShape(
                            "`mounted` of a Java thread", thread.get("java").get("mounted"));
                }
            }
            for (JsonNode frame : thread.get("frames")) {
                String kind = frame.get("kind").asText();
                kinds.add(kind);
                page.assertShape(
                        List.of("vm", "native").contains(kind)
                                ? "A frame of kind `vm` or `native`"
                                : "A frame of kind `" + kind + "`",
                        frame,
                        "monitors");
                for (JsonNode monitor : frame.path("monitors")) {
                    page.assertShape("A monitor of a frame", monitor);
                }
            }
        }
        assertThat(kinds).containsExactly("hole", "java", "kernel", "native", "omitted", "stub", "vm");
        assertThat(dump.get("threads").get(1).get("name").asText()).isEqualTo(Dumps.EVIL);
        assertThat(dump.get("threads")
                        .get(1)
                        .get("java")
                        .get("mounted")
                        .get("name")
                        .asText())
                .isEqualTo(Dumps.EVIL);
        assertThat(dump.get("threads").get(2).has("java")).isFalse();
    }

    @Test
    void stackJsonEqualsTheSampleOfTheClient() throws IOException {
        ClientSample.compare("stack.json", json());
    }

    @Test
    void everyThreadStateIsDocumented() throws IOException {
        String page = java.nio.file.Files.readString(java.nio.file.Path.of("../docs/formats/stack-json.md"));
        for (ThreadState state : ThreadState.values()) {
            assertThat(page).contains("`" + state.name().toLowerCase(java.util.Locale.ROOT) + "`");
        }
    }

    @Test
    void theJsonOfPsHasExactlyTheDocumentedShape() throws IOException {
        var rows = List.of(new RuntimeRow(
                7,
                new RuntimeId(1),
                0x7f0000001000L,
                "17.0.15+6",
                "a.Main",
                "x",
                "alice",
                new ProcessUsage(5, 7, 0.25),
                List.of("x.so")));
        ClientSample.compare("ps.json", PsCommand.json(rows, false));
        JsonNode array = new ObjectMapper().readTree(PsCommand.json(rows, true));
        assertThat(array).hasSize(1);
        JsonPage.read("ps-json.md").assertShape("A runtime", array.get(0));
    }
}
