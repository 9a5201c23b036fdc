package mayfly.linux.trace;

import static java.lang.foreign.ValueLayout.ADDRESS;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The environment of a child: that of this process, with other values for some variables, see environ(7). */
final class SpawnEnvironment {

    private SpawnEnvironment() {}

    /**
     * Returns an array for execve(2). Variables that do not change are passed on byte for byte.
     *
     * @param ours the environment of this process: pointers up to a null pointer
     * @param changed the variables with other values, and additional ones
     */
    static MemorySegment of(MemorySegment ours, Map<String, String> changed, Arena arena) {
        List<MemorySegment> variables = new ArrayList<>();
        MemorySegment pointers = ours.reinterpret(Long.MAX_VALUE);
        for (long i = 0; !pointers.getAtIndex(ADDRESS, i).equals(MemorySegment.NULL); i++) {
            MemorySegment variable = pointers.getAtIndex(ADDRESS, i);
            if (!changed.containsKey(name(variable))) {
                variables.add(variable);
            }
        }
        changed.forEach((name, value) -> variables.add(arena.allocateFrom(name + "=" + value)));
        MemorySegment array = arena.allocate(ADDRESS, variables.size() + 1L);
        for (int i = 0; i < variables.size(); i++) {
            array.setAtIndex(ADDRESS, i, variables.get(i));
        }
        return array;
    }

    private static String name(MemorySegment variable) {
        String text = variable.reinterpret(Long.MAX_VALUE).getString(0, StandardCharsets.ISO_8859_1);
        int end = text.indexOf('=');
        return end < 0 ? text : text.substring(0, end);
    }
}
