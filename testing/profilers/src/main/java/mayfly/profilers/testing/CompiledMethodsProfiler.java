package mayfly.profilers.testing;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import mayfly.api.CompiledMethod;
import mayfly.api.Event;
import mayfly.api.Profiler;
import mayfly.api.ProfilerInfo;
import mayfly.api.Stamp;

/**
 * Records the compiled methods that are reported to it, and those that its enumeration finds as soon as that is
 * permitted. It answers {@code told} and {@code found} with the names and descriptors of these methods, and {@code at}
 * and addresses with that of the method at each address, or with {@code unknown}.
 */
public final class CompiledMethodsProfiler implements Profiler {
    private final Set<String> told = ConcurrentHashMap.newKeySet();
    private final Set<String> found = new HashSet<>();
    private ProfilerInfo info;

    @Override
    public void initializeForAttach(ProfilerInfo runtime, Optional<byte[]> clientData) {
        info = runtime;
        info.setEventMask(Set.of(Event.COMPILED_METHODS));
    }

    @Override
    public void profilerAttachComplete() {
        for (CompiledMethod method : info.enumerateCompiledMethods().items()) {
            found.add(name(method));
        }
    }

    @Override
    public void methodCompiled(Stamp at, CompiledMethod method) {
        told.add(name(method));
    }

    private static String name(CompiledMethod method) {
        return method.className() + "." + method.name() + method.descriptor();
    }

    @Override
    public byte[] command(byte[] command) {
        String asked = new String(command, StandardCharsets.UTF_8);
        if (asked.startsWith("at ")) {
            StringBuilder answer = new StringBuilder();
            for (String address : asked.substring("at ".length()).split(",")) {
                answer.append(info.methodAt(Long.parseLong(address))
                                .map(CompiledMethodsProfiler::name)
                                .orElse("unknown"))
                        .append('\n');
            }
            return answer.toString().getBytes(StandardCharsets.UTF_8);
        }
        Set<String> methods = asked.equals("told") ? told : found;
        return String.join("\n", methods).getBytes(StandardCharsets.UTF_8);
    }
}
