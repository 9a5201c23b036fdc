package com.example;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import mayfly.api.ClassDescription;
import mayfly.api.ClassId;
import mayfly.api.Event;
import mayfly.api.Profiler;
import mayfly.api.ProfilerException;
import mayfly.api.ProfilerInfo;
import mayfly.api.Status;
import mayfly.api.code.LoaderDescription;
import mayfly.api.code.LoaderId;
import mayfly.api.heap.ReferenceStep;

/**
 * Finds class loaders that are still referenced, and the references that retain them. The command is {@code leaks
 * PREFIX}: it collects, and lists each loader of the program that has classes whose names begin with the prefix.
 */
public final class LoaderLeaks implements Profiler {
    private static final String COMMAND = "leaks ";
    /** The classes of the JDK's loaders, which are never unloaded. */
    private static final Set<String> OF_JDK = Set.of(
            "jdk.internal.loader.ClassLoaders$AppClassLoader", "jdk.internal.loader.ClassLoaders$PlatformClassLoader");

    private ProfilerInfo info;

    @Override
    public void initializeForAttach(ProfilerInfo runtime, Optional<byte[]> clientData) {
        info = runtime;
        // Without the event, classes cannot be enumerated; if it is asynchronous, they are known by name only.
        info.setEventMask(Set.of(Event.CLASS_LOADS), Set.of());
    }

    @Override
    public byte[] command(byte[] command) {
        String words = new String(command, UTF_8);
        if (!words.startsWith(COMMAND)) {
            throw new ProfilerException(Status.FAILED, "the command is: leaks PREFIX");
        }
        info.forceGarbageCollection();
        StringBuilder answer = new StringBuilder();
        for (List<ClassId> classes : byLoader(words.substring(COMMAND.length())).values()) {
            answer.append(describe(classes));
        }
        return (answer.isEmpty() ? "no loader has such classes\n" : answer.toString()).getBytes(UTF_8);
    }

    /** Returns the classes with the prefix, by loader. */
    private Map<LoaderId, List<ClassId>> byLoader(String prefix) {
        Map<LoaderId, List<ClassId>> classes = new LinkedHashMap<>();
        for (ClassId type : info.enumerateClasses().items()) {
            try {
                ClassDescription described = info.describe(type);
                if (described.name().startsWith(prefix) && described.loaderId().isPresent()) {
                    LoaderId loader = described.loaderId().get();
                    classes.computeIfAbsent(loader, key -> new ArrayList<>()).add(type);
                }
            } catch (ProfilerException e) {
                // The class has been unloaded since the enumeration.
            }
        }
        return classes;
    }

    /** Returns a line with the loader and one of its classes, and a line for each reference of the path. */
    private String describe(List<ClassId> classes) {
        try {
            ClassDescription one = info.describe(classes.get(0));
            LoaderDescription loader = info.describe(one.loaderId().orElseThrow());
            if (OF_JDK.contains(loader.className())) {
                return "";
            }
            StringBuilder lines = new StringBuilder(one.loader().orElseThrow() + " has " + classes.size()
                    + " such classes, among them " + one.name() + "\n");
            Optional<List<ReferenceStep>> path = info.pathToLoader(one.id());
            if (path.isEmpty()) {
                lines.append("    no path to it was found\n");
            } else {
                path.get().forEach(step -> lines.append("    ").append(line(step)));
            }
            return lines.toString();
        } catch (ProfilerException e) {
            return classes.get(0) + ": " + e.getMessage() + "\n";
        }
    }

    private static String line(ReferenceStep step) {
        String where = step.name().orElse(step.index() < 0 ? "" : "[" + step.index() + "]");
        String object = step.represented().map(name -> "class " + name).orElse(step.className());
        return (step.kind() + " " + where).strip() + " -> " + object + "\n";
    }
}
