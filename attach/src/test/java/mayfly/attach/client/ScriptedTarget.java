package mayfly.attach.client;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.channel.Connection;
import mayfly.attach.channel.Deadline;
import mayfly.attach.channel.HostChannel;
import mayfly.attach.channel.HostRecord;
import mayfly.attach.channel.HostRecords;
import mayfly.attach.listener.JvmListener;
import mayfly.attach.listener.LibraryFile;
import mayfly.profile.RuntimeId;
import mayfly.wire.LoadResult;
import org.jspecify.annotations.Nullable;

/** A scripted process. The steps of a request are recorded in {@link #steps}. */
final class ScriptedTarget implements AttachTarget {
    static final int PID = 7;

    final List<String> steps = new ArrayList<>();

    @Nullable
    HostRecord host;
    /** The socket of the host; null if it has none. */
    @Nullable
    Path socket;

    ChosenJvm chosen = new ChosenJvm(25, new RuntimeId(1), 0x1000, true);
    boolean isListening = true;
    boolean hasSlowerVirtualThreads;
    int loadResult = LoadResult.ATTACHED;
    /** The failure of the step with the name, null for none. */
    @Nullable
    String failing;

    Status failure = Status.TIMEOUT;
    /** Replaces the failure by an I/O error. */
    boolean failsByError;

    boolean staysLoaded;
    Runnable onLoad = () -> {};

    static HostRecord record(HostRecord.State state, String pinnedBy) {
        return new HostRecord(
                state,
                "/tmp/.mayfly-7-0011223344556677/s",
                "a.Profiler",
                pinnedBy,
                0,
                Optional.empty(),
                Duration.ZERO,
                Optional.empty(),
                Duration.ZERO,
                false,
                false,
                "",
                1,
                0x1000,
                0x2000,
                8,
                0,
                0,
                0,
                Duration.ZERO,
                0,
                0);
    }

    AttachTarget open(int pid) {
        steps.add("open " + pid);
        return this;
    }

    private void step(String name) throws IOException, AttachFailed {
        steps.add(name);
        if (name.equals(failing)) {
            if (failsByError) {
                throw new IOException(name + " cannot be read");
            }
            throw new AttachFailed(failure, name + " failed");
        }
    }

    @Override
    public int pid() {
        return PID;
    }

    @Override
    public HostRecords hosts() {
        steps.add("hosts");
        return new HostRecords(host == null ? List.of() : List.of(host), List.of());
    }

    @Override
    public boolean hasOneJvm() {
        return chosen.alone();
    }

    @Override
    public HostRecord host(Optional<RuntimeId.Choice> wanted) throws AttachFailed {
        steps.add("host" + wanted.map(choice -> " " + choice).orElse(""));
        if (host == null) {
            throw new AttachFailed(Status.NO_PROFILER, "no profiler is attached");
        }
        return host;
    }

    @Override
    public HostRecord hostIn(long library) {
        steps.add("host in " + Long.toHexString(library));
        return host == null ? record(HostRecord.State.ACTIVE, "") : host;
    }

    @Override
    public HostChannel channel(HostRecord to, Deadline deadline) throws IOException, AttachFailed {
        step("connect");
        if (socket == null) {
            throw new AttachFailed(Status.NO_PROFILER, "no profiler is attached");
        }
        return new HostChannel(Connection.to(socket, deadline, "no connection"));
    }

    @Override
    public void awaitNoHost(long library, Deadline deadline, String waiting) throws AttachFailed {
        steps.add("await no host in " + Long.toHexString(library));
        if (staysLoaded) {
            throw new AttachFailed(Status.TIMEOUT, waiting);
        }
    }

    @Override
    public ChosenJvm choose(Optional<RuntimeId.Choice> wanted) throws AttachFailed {
        steps.add("choose" + wanted.map(choice -> " " + choice).orElse(""));
        return chosen;
    }

    @Override
    public boolean hasSlowerVirtualThreads(ChosenJvm of) throws IOException {
        steps.add("cost");
        if ("cost".equals(failing)) {
            throw new IOException("cost cannot be read");
        }
        return hasSlowerVirtualThreads;
    }

    @Override
    public JvmListener listener() throws IOException, AttachFailed {
        step("listener");
        return new JvmListener() {
            @Override
            public boolean isListening() {
                return isListening;
            }

            @Override
            public void start(Deadline deadline) throws IOException, AttachFailed {
                step("start");
            }

            @Override
            public int load(String library, String options, Deadline deadline) throws IOException, AttachFailed {
                steps.add("options " + options.replaceFirst("[0-9a-f]{32},[0-9]+", "ID,DEADLINE"));
                step("load");
                onLoad.run();
                return loadResult;
            }
        };
    }

    @Override
    public LibraryFile library(Deadline deadline) throws IOException, AttachFailed {
        step("library");
        return new LibraryFile() {
            @Override
            public String path() {
                return "/tmp/lib.so";
            }

            @Override
            public void loading() {
                steps.add("loading");
            }

            @Override
            public void loaded() {
                steps.add("loaded");
            }

            @Override
            public void close() {
                steps.add("library closed");
            }
        };
    }

    @Override
    public byte[] encoded(Optional<LogEntry> entry) {
        return AttachPayload.NO_LOG;
    }

    @Override
    public AttachFailed failed(Status otherwise, IOException e) {
        return new AttachFailed(
                e instanceof HostChannel.HostGone ? Status.NO_PROFILER : otherwise, String.valueOf(e.getMessage()));
    }

    @Override
    public AttachFailed failed(AttachFailed e) {
        return e;
    }

    @Override
    public void close() {
        steps.add("close");
    }
}
