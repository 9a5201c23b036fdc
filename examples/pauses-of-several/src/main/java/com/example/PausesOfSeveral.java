package com.example;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import mayfly.client.Attachment;
import mayfly.client.Mayfly;
import mayfly.client.MayflyException;

/**
 * The profilers of several JVMs as one group: attaches {@link Pauses} to each JVM, and merges their emissions into one
 * stream. {@link #close} detaches all of them.
 */
public final class PausesOfSeveral implements AutoCloseable {
    private final Mayfly mayfly;
    private final Path jar;
    private final Deque<Attachment> members = new ArrayDeque<>();
    private final BlockingQueue<Pause> pauses = new LinkedBlockingQueue<>();

    /** A pause of the JVM in a process. */
    public record Pause(long pid, long micros, String reason) {}

    /** @param jar the jar with {@link Pauses} */
    public PausesOfSeveral(Mayfly mayfly, Path jar) {
        this.mayfly = mayfly;
        this.jar = jar;
    }

    /** Adds a JVM. */
    public void add(long pid) throws MayflyException, InterruptedException {
        Attachment member = mayfly.attach(pid, jar).run();
        members.push(member);
        Attachment.Emissions emissions = member.follow();
        Thread reader = new Thread(() -> read(pid, emissions), "pauses of " + pid);
        reader.setDaemon(true);
        reader.start();
    }

    /** Reads the emissions of one JVM until its profiler is detached. */
    private void read(long pid, Attachment.Emissions emissions) {
        try (emissions) {
            while (!emissions.hasEnded()) {
                emissions.next(Duration.ofSeconds(1)).ifPresent(line -> {
                    String[] words = line.split(" ", 2);
                    pauses.add(new Pause(pid, Long.parseLong(words[0]), words[1]));
                });
            }
        } catch (MayflyException | InterruptedException e) {
            System.err.println("no more pauses of process " + pid + ": " + e.getMessage());
        }
    }

    /** Waits for the next pause of any of the JVMs. */
    public Optional<Pause> next(Duration limit) throws InterruptedException {
        return Optional.ofNullable(pauses.poll(limit.toNanos(), TimeUnit.NANOSECONDS));
    }

    @Override
    public void close() throws MayflyException {
        while (!members.isEmpty()) {
            members.pop().close();
        }
    }

    /** Arguments: the jar, and the ids of the processes. Ends when a line is entered. */
    public static void main(String[] args) throws IOException, MayflyException, InterruptedException {
        try (PausesOfSeveral group = new PausesOfSeveral(Mayfly.find(), Path.of(args[0]))) {
            for (int i = 1; i < args.length; i++) {
                group.add(Long.parseLong(args[i]));
            }
            while (System.in.available() == 0) {
                group.next(Duration.ofMillis(200))
                        .ifPresent(each ->
                                System.out.println(each.pid() + "\t" + each.micros() + " µs\t" + each.reason()));
            }
        }
    }
}
