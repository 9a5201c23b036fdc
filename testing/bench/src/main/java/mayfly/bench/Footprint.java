package mayfly.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import mayfly.kit.Cpu;
import mayfly.kit.Jvm;

/**
 * The memory of a ThreadAndClassChurn target, by part, in bytes; by the JVM's own account, which its diagnostic
 * commands give from inside, and by the kernel's.
 *
 * @param parts the total by purpose: live objects, metaspace, code, and the JVM's own allocations by their categories
 * @param objects live objects by class
 * @param sites the JVM's own allocations by category and allocating function
 * @param classes the number of loaded classes
 * @param resident by the kernel's account, everything included
 */
record Footprint(
        Map<String, Long> parts, Map<String, Long> objects, Map<String, Long> sites, long classes, long resident) {
    static final String OBJECTS = "Java objects, live";
    static final String METASPACE = "metaspace, used";
    static final String CODE = "code cache, used";
    private static final Pattern CATEGORY = Pattern.compile("^- +(\\S.*?) \\(reserved=");
    private static final Pattern MALLOC = Pattern.compile("\\((?:malloc|arena)=(\\d+)");
    private static final Pattern USED = Pattern.compile("\\( +used=(\\d+)");
    private static final Pattern CLASSES = Pattern.compile("\\(classes #(\\d+)");
    private static final Pattern SITE = Pattern.compile("malloc=(\\d+) (?:type|tag)=(.+?) #");
    private static final Pattern OBJECT = Pattern.compile("^ *\\d+: +\\d+ +(\\d+) +(\\S+)");
    private static final Pattern CODE_HEAP = Pattern.compile("^Code(?:Heap|Cache)[^:]*:.*? used=(\\d+)Kb");
    private static final Pattern FRAME = Pattern.compile("^\\[0x[0-9a-f]+] ?([^(+]+)");
    /** The category of the JVM's memory tracking itself, which is not counted. */
    private static final String ACCOUNT = "Native Memory Tracking";

    private static final String DETAILS = "Details:";

    /**
     * Measures after two complete collections, and after the C library has returned its free memory to the kernel:
     * mostly memory that the JVM's compiler needed at its peak.
     */
    static Footprint of(Jvm jvm, Path folder) throws IOException {
        ask(jvm, folder, "gcClassHistogram");
        Map<String, Long> parts = new TreeMap<>();
        Map<String, Long> objects = new HashMap<>();
        Map<String, Long> sites = new HashMap<>();
        ask(jvm, folder, "gcClassHistogram").forEach(line -> add(objects, OBJECT.matcher(line)));
        parts.put(OBJECTS, objects.values().stream().mapToLong(Long::longValue).sum());
        parts.put(CODE, code(ask(jvm, folder, "compilerCodecache")));
        List<String> tracked = ask(jvm, folder, "vmNativeMemory detail scale=1");
        long classes = categories(tracked, parts);
        sites(tracked, sites);
        ask(jvm, folder, "systemTrimNativeHeap");
        return new Footprint(parts, objects, sites, classes, Cpu.residentBytes(jvm.pid()));
    }

    private static List<String> ask(Jvm jvm, Path folder, String command) throws IOException {
        Path file = folder.resolve("diagnosed");
        String answer = jvm.ask("diagnose " + file + " " + command);
        if (!answer.equals("asked")) {
            throw new IOException(command + ": " + answer);
        }
        List<String> lines = Files.readAllLines(file);
        Files.delete(file);
        return lines;
    }

    private static void add(Map<String, Long> objects, Matcher object) {
        if (object.find()) {
            objects.merge(object.group(2), Long.parseLong(object.group(1)), Long::sum);
        }
    }

    /**
     * Returns the size of the generated code. A single code heap has one line. If there are several code heaps,
     * each has a line, and a last line may have the sum.
     */
    private static long code(List<String> lines) {
        long heaps = 0;
        long whole = 0;
        for (String line : lines) {
            Matcher used = CODE_HEAP.matcher(line);
            if (used.find()) {
                long bytes = Long.parseLong(used.group(1)) << 10;
                heaps += line.startsWith("CodeHeap") ? bytes : 0;
                whole += line.startsWith("CodeCache") ? bytes : 0;
            }
        }
        return heaps == 0 ? whole : heaps;
    }

    private static long categories(List<String> lines, Map<String, Long> parts) {
        String category = "";
        long classes = 0;
        for (String line : lines.subList(0, lines.indexOf(DETAILS))) {
            Matcher begins = CATEGORY.matcher(line);
            Matcher malloc = MALLOC.matcher(line);
            Matcher used = USED.matcher(line);
            Matcher count = CLASSES.matcher(line);
            if (begins.find()) {
                category = begins.group(1);
            } else if (malloc.find() && !category.equals(ACCOUNT)) {
                parts.merge("malloc, " + category, Long.parseLong(malloc.group(1)), Long::sum);
            } else if (used.find()) {
                parts.merge(METASPACE, Long.parseLong(used.group(1)), Long::sum);
            } else if (count.find()) {
                classes = Long.parseLong(count.group(1));
            }
        }
        return classes;
    }

    /**
     * Adds the allocation sites. The frames of a site come first, beginning with the leaf; the line with its amount
     * ends it.
     */
    private static void sites(List<String> lines, Map<String, Long> sites) {
        StringBuilder frames = new StringBuilder();
        int depth = 0;
        for (String line : lines.subList(lines.indexOf(DETAILS), lines.size())) {
            Matcher frame = FRAME.matcher(line);
            Matcher site = SITE.matcher(line);
            if (frame.find()) {
                if (depth++ < 2) {
                    frames.append(depth == 1 ? "" : " < ").append(frame.group(1).strip());
                }
            } else if (site.find()) {
                sites.merge("malloc, " + site.group(2) + ": " + frames, Long.parseLong(site.group(1)), Long::sum);
                frames.setLength(0);
                depth = 0;
            }
        }
    }
}
