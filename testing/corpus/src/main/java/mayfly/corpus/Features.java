package mayfly.corpus;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.process.TargetThread;
import mayfly.profile.Frame;

/** The features that make a stack difficult to walk. A feature is the name of a case. */
final class Features {
    private static final int DEEP = 300;

    private Features() {}

    /**
     * Returns the features of a stack.
     *
     * @param frames leaf first
     * @param symbol names native frames
     * @param pc the thread's program counter
     * @param memory the memory of the process, for the instruction at pc
     */
    static Set<String> of(
            TargetThread thread, List<Frame> frames, Function<Frame, String> symbol, long pc, Memory memory) {
        Set<String> features = new TreeSet<>();
        if (frames.isEmpty()) {
            return features;
        }
        switch (frames.getFirst()) {
            case Frame.Managed managed -> {
                features.add("leaf " + managed.mode());
                instruction(managed, pc, memory, features);
                if (managed.type().startsWith("java.lang.String")
                        && managed.method().contains("ndexOf")
                        && !isInterpreted(managed)) {
                    features.add("leaf index-of");
                }
            }
            case Frame.Stub stub -> features.add("on " + stub.name());
            case Frame.Native code when code.library().equals("[vdso]") -> features.add("vdso");
            case Frame.Native code ->
                features.add(symbol.apply(code).equals("__restore_rt") ? "on signal return" : "leaf native");
            case Frame.Kernel kernel -> features.add("kernel");
            case Frame.Omitted omitted -> features.add("omitted");
        }
        for (int i = 1; i < frames.size(); i++) {
            between(frames.get(i - 1), frames.get(i), symbol, features);
        }
        if (frames.size() > DEEP) {
            features.add("deep");
        }
        for (String name : List.of("C1 Compiler", "C2 Compiler", "GC Thread", "G1 ", "VM Thread")) {
            if (thread.name().startsWith(name)) {
                features.add("thread " + name.strip());
            }
        }
        Set<String> slugs = new TreeSet<>();
        features.forEach(feature -> slugs.add(slug(feature)));
        return slugs;
    }

    private static void between(Frame callee, Frame frame, Function<Frame, String> symbol, Set<String> features) {
        switch (frame) {
            case Frame.Stub stub -> features.add("through " + stub.name());
            case Frame.Managed managed -> {
                if (callee instanceof Frame.Native code && managed.kind().equals(Frame.Managed.NATIVE)) {
                    features.add(code.vm() ? "native method of the vm" : "native method");
                } else if (callee instanceof Frame.Native code && code.vm()) {
                    features.add("into vm " + symbol.apply(code));
                }
                if (managed.type().contains("$$Lambda") || managed.type().contains("LambdaForm")) {
                    features.add("lambda form " + managed.mode());
                }
                if (managed.type().equals("java.lang.VirtualThread")
                        && managed.method().equals("run")) {
                    features.add("virtual thread");
                }
                if (callee instanceof Frame.Managed above && isInterpreted(above) && !isInterpreted(managed)) {
                    features.add("interpreted from compiled");
                }
                if (callee instanceof Frame.Managed above && !isInterpreted(above) && isInterpreted(managed)) {
                    features.add("compiled from interpreted");
                }
            }
            case Frame.Native code -> {
                if (symbol.apply(code).equals("__restore_rt")) {
                    features.add("signal");
                }
            }
            case Frame.Kernel kernel -> features.add("kernel");
            case Frame.Omitted omitted -> features.add("omitted");
        }
    }

    private static boolean isInterpreted(Frame.Managed frame) {
        return frame.kind().equals(Frame.Managed.INTERPRETED);
    }

    /** Adds a feature if the thread is at an instruction that sets up or removes a frame. */
    private static void instruction(Frame.Managed managed, long pc, Memory memory, Set<String> features) {
        if (isInterpreted(managed)) {
            return;
        }
        try {
            int first = memory.readByte(pc);
            switch (first) {
                case 0x55 -> features.add("at push rbp");
                case 0x5d -> features.add("at pop rbp");
                case 0xc3 -> features.add("at ret");
                case 0x48 -> {
                    if (memory.readByte(pc + 1) == 0x81 && memory.readByte(pc + 2) == 0xec) {
                        features.add("at sub rsp");
                    }
                }
                case 0x89 -> {
                    if (memory.readByte(pc + 1) == 0x84 && memory.readByte(pc + 2) == 0x24) {
                        features.add("at stack bang");
                    }
                }
                default -> {
                    return;
                }
            }
        } catch (MemoryFault e) {
            features.add("pc not readable");
        }
    }

    private static String slug(String feature) {
        String slug =
                feature.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-").replaceAll("^-|-$", "");
        return slug.length() > 60 ? slug.substring(0, 60) : slug;
    }
}
