package mayfly.attach.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.channel.Deadline;
import mayfly.attach.channel.HostRecord;
import mayfly.profile.RuntimeId;
import mayfly.wire.message.MessageType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The emissions of several scripted hosts as one stream. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ProfilerGroupTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final byte[] GONE = ScriptedHost.gone(0, 0, 0);

    @TempDir
    private Path folder;

    private static byte[] emission(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return ScriptedHost.message(
                MessageType.EMIT,
                ByteBuffer.allocate(8 + bytes.length)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putLong(0)
                        .put(bytes)
                        .array());
    }

    private ScriptedHost host(String name, byte[]... answers) throws IOException {
        return new ScriptedHost(Files.createDirectory(folder.resolve(name)), message -> List.of(answers));
    }

    private static EmissionStream stream(ScriptedHost host) throws Exception {
        var target = new ScriptedTarget();
        target.socket = host.socket();
        return EmissionStream.of(
                target,
                ScriptedTarget.record(HostRecord.State.ACTIVE, ""),
                EmissionStream.AtEnd.KEEP_PROFILER,
                Deadline.in(LIMIT));
    }

    @Test
    void emissionsOfAllMembersHaveTheIdOfTheirJvm() throws Exception {
        try (ScriptedHost one = host("one", emission("a"), emission("b"), GONE);
                ScriptedHost two = host("two", emission("c"), GONE);
                ProfilerGroup group = new ProfilerGroup()) {
            group.add(new RuntimeId(1), stream(one));
            group.add(new RuntimeId(2), stream(two));
            List<String> emitted = new ArrayList<>();
            assertThat(group.run((runtime, bytes, dropped) -> emitted.add(runtime + " " + new String(bytes))))
                    .isTrue();
            assertThat(emitted)
                    .containsExactlyInAnyOrder("r1 a", "r1 b", "r2 c")
                    .containsSubsequence("r1 a", "r1 b");
        }
    }

    @Test
    void sinkThatStopsEndsTheStreamsOfAllMembers() throws Exception {
        try (ScriptedHost one = host("one", emission("a"));
                ScriptedHost silent = host("silent", ScriptedHost.SILENCE);
                ProfilerGroup group = new ProfilerGroup()) {
            group.add(new RuntimeId(1), stream(one));
            group.add(new RuntimeId(2), stream(silent));
            assertThat(group.size()).isEqualTo(2);
            assertThat(group.run((runtime, bytes, dropped) -> false)).isFalse();
        }
    }

    @Test
    void failureOfAMemberIsThrownOnceTheOthersHaveEnded() throws Exception {
        byte[] negative =
                ByteBuffer.allocate(5).order(ByteOrder.LITTLE_ENDIAN).putInt(-1).array();
        try (ScriptedHost hostile = host("hostile", negative);
                ScriptedHost two = host("two", emission("c"), GONE);
                ProfilerGroup group = new ProfilerGroup()) {
            group.add(new RuntimeId(1), stream(hostile));
            group.add(new RuntimeId(2), stream(two));
            List<String> emitted = new ArrayList<>();
            AttachFailed failed = catchThrowableOfType(
                    AttachFailed.class,
                    () -> group.run((runtime, bytes, dropped) -> emitted.add(runtime + " " + new String(bytes))));
            assertThat(failed).isNotNull();
            assertThat(emitted).containsExactly("r2 c");
        }
    }
}
