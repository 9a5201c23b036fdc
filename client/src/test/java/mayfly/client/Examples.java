package mayfly.client;

import java.nio.file.Path;
import java.time.Duration;

/** The examples of docs/client.md. */
final class Examples {
    private Examples() {}

    static void record(long pid) throws Exception {
        Mayfly mayfly = Mayfly.find();
        Recording cpu = mayfly.record(pid)
                .duration(Duration.ofSeconds(10))
                .to(Path.of("cpu.html"))
                .run();
        System.out.println(cpu.samples() + " samples, " + cpu.complete() + " of them complete");
        cpu.alarms().forEach(System.out::println);
        System.out.println(cpu.file());
    }

    static void stack(long pid) throws Exception {
        ThreadDump dump = Mayfly.find().stack(pid).run();
        for (ThreadDump.DumpedThread thread : dump.threads()) {
            System.out.println(thread.name() + " "
                    + thread.java().map(ThreadDump.JavaThread::state).orElse(""));
            thread.frames().forEach(frame -> System.out.println("    at " + frame));
        }
    }

    static void attach(long pid) throws Exception {
        try (Attachment attachment =
                Mayfly.find().attach(pid, Path.of("my-profiler.jar")).run()) {
            System.out.println(attachment.send("how many?"));
            System.out.println(attachment.status().map(ProfilerStatus::state).orElse("not attached"));
        }
    }

    static void audit(long pid, Runnable work) throws Exception {
        AuditRequest audit = Mayfly.find().audit(pid);
        audit.save(Path.of("before")).run();
        work.run();
        AuditComparison changes = audit.compare(Path.of("before"));
        changes.leftovers().forEach(item -> System.out.println(item.kind() + ": " + item.text()));
    }

    static void ownProcess() throws Exception {
        long pid = ProcessHandle.current().pid();
        Recording own = Mayfly.find()
                .record(pid)
                .duration(Duration.ofSeconds(5))
                .to(Path.of("own.html"))
                .run();
        System.out.println(own.file());
    }
}
