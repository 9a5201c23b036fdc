package mayfly.report;

import java.io.IOException;
import java.util.SplittableRandom;
import mayfly.profile.Profile;
import mayfly.profile.WalkOutcome;

/** Example recordings. */
public final class Examples {
    private static final String[] POOL = {
        "n libc.so.6 __clone3",
        "n libc.so.6 start_thread",
        "n libjvm.so thread_native_entry(Thread*)",
        "v JavaThread::thread_main_inner()",
        "v JavaCalls::call_helper(JavaValue*, methodHandle const&, JavaCallArguments*, JavaThread*)",
        "s call_stub",
        "0 java.lang.Thread.run",
        "0 java.lang.Thread.runWith",
        "0 java.util.concurrent.ThreadPoolExecutor$Worker.run",
        "2 java.util.concurrent.ThreadPoolExecutor.runWorker"
    };

    /** A typical service: a hot path, a long tail, a garbage collector, a compiler, some incomplete walks. */
    static Profile service() throws IOException {
        return serviceRecorded().profile();
    }

    static RecordingBuilder serviceRecorded() throws IOException {
        var out = new RecordingBuilder();
        String[] handle = {"2 org.example.http.Server.handle", "2 org.example.orders.OrderApi.place"};
        String[] json = {"2 org.example.json.JsonReader.readObject", "i org.example.json.JsonReader.readField"};
        String[] sql = {
            "2 org.example.orders.OrderStore.load",
            "1 org.h2.command.CommandContainer.query",
            "2 org.h2.command.query.Select.queryWithoutCache",
            "2 org.h2.table.TableFilter.next",
            "i org.h2.index.IndexCursor.next",
            "2 org.h2.mvstore.Cursor.hasNext"
        };
        for (int worker = 1; worker <= 4; worker++) {
            String thread = "worker-" + worker;
            out.stack(
                    thread,
                    160,
                    all(
                            POOL,
                            handle,
                            sql,
                            "2 org.h2.mvstore.MVMap.binarySearch",
                            "i org.h2.value.ValueBigint.compareTypeSafe"));
            out.stack(
                    thread,
                    95,
                    all(POOL, handle, sql, "2 org.h2.mvstore.Page.readPage", "2 org.h2.compress.CompressLZF.expand"));
            out.stack(thread, 60, all(POOL, handle, sql, "2 org.h2.mvstore.MVMap.binarySearch"));
            out.stack(thread, 40, all(POOL, handle, sql, "1 org.h2.mvstore.MVMap.binarySearch"));
            out.stack(thread, 70, all(POOL, handle, json, "i java.lang.String.charAt"));
            out.stack(thread, 52, all(POOL, handle, json, "2 org.example.json.Numbers.parse", "s jlong_arraycopy"));
            out.stack(thread, 31, all(POOL, handle, "2 java.util.HashMap.computeIfAbsent", "i java.util.HashMap.hash"));
            out.stack(
                    thread,
                    22,
                    all(POOL, handle, "0 org.example.orders.Discounts.apply", "0 java.util.regex.Pattern.compile"));
            out.stack(
                    thread,
                    38,
                    all(
                            POOL,
                            "2 org.example.http.Server.write",
                            "2 sun.nio.ch.SocketDispatcher.write",
                            "w sun.nio.ch.SocketDispatcher.write0",
                            "n libnio.so Java_sun_nio_ch_SocketDispatcher_write0",
                            "n libc.so.6 write",
                            "k entry_SYSCALL_64_after_hwframe",
                            "k do_syscall_64",
                            "k tcp_sendmsg"));
            out.stack(
                    thread,
                    12,
                    all(POOL, "2 org.example.http.Server.read", "w sun.nio.ch.EPoll.wait", "n libc.so.6 epoll_wait"));
            out.stack(thread, WalkOutcome.NO_CFI, 3, 10_101_010, "n libz.so.1", "n libz.so.1 inflate_fast");
        }
        String[] gc = {
            "n libc.so.6 __clone3",
            "n libjvm.so thread_native_entry(Thread*)",
            "v WorkerThread::run()",
            "v G1ParTask::work(unsigned int)"
        };
        out.stack(
                "GC Thread#0",
                150,
                all(
                        gc,
                        "v G1ParScanThreadState::trim_queue_to_threshold(unsigned int)",
                        "v G1ParScanThreadState::do_copy_to_survivor_space(G1HeapRegionAttr, oop, markWord)"));
        out.stack("GC Thread#0", 35, all(gc, "v G1ScanHRForRegionClosure::do_heap_region(G1HeapRegion*)"));
        String[] c2 = {"n libc.so.6 __clone3", "v CompileBroker::compiler_thread_loop()", "v Compile::Compile(ciEnv*)"};
        out.stack(
                "C2 CompilerThread0",
                90,
                all(c2, "v PhaseChaitin::Register_Allocate()", "v PhaseIFG::effective_degree(unsigned int)"));
        out.stack("C2 CompilerThread0", 64, all(c2, "v PhaseIdealLoop::build_and_optimize()"));
        out.stack(
                "main",
                WalkOutcome.TRUNCATED,
                4,
                10_101_010,
                "2 org.example.Deep.recurse",
                "2 org.example.Deep.recurse",
                "2 org.example.Deep.recurse");
        return out;
    }

    /** Many nodes, deep and wide, deterministic. */
    static Profile large(int nodes) throws IOException {
        var random = new SplittableRandom(7);
        var out = new RecordingBuilder();
        int made = 0;
        while (made < nodes) {
            int depth = 5 + random.nextInt(60);
            String[] frames = new String[depth];
            String kinds = "22222ii1i20w";
            for (int i = 0; i < depth; i++) {
                int branch = (int) Math.floor(Math.pow(random.nextDouble(), 6) * (i < 8 ? 3 : 9));
                frames[i] = kinds.charAt((i * 7 + branch * 3) % kinds.length()) + " com.acme.m" + i % 17
                        + ".Class" + (i * 31 + branch) % 400
                        + ".method" + branch;
            }
            out.stack("worker-" + random.nextInt(8), 1 + random.nextInt(3), frames);
            made += 4;
        }
        return out.profile();
    }

    static String[] all(Object... parts) {
        return java.util.Arrays.stream(parts)
                .flatMap(part -> part instanceof String[] many
                        ? java.util.Arrays.stream(many)
                        : java.util.stream.Stream.of((String) part))
                .toArray(String[]::new);
    }

    private Examples() {}
}
