package mayfly.report.pprof;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import mayfly.profile.Frame;
import mayfly.report.tree.ShownStacks;

/**
 * Writes frames as pprof stores them: a location that has a line of a function and, if it is native, a mapping. Ids
 * start at 1.
 */
final class Locations {
    // Fields of the message Profile.
    private static final int MAPPING = 3;
    private static final int LOCATION = 4;
    private static final int FUNCTION = 5;
    // Fields of Mapping.
    private static final int MEMORY_LIMIT = 3;
    private static final int FILENAME = 5;
    private static final int HAS_FUNCTIONS = 7;
    // Fields of Location and Line.
    private static final int MAPPING_ID = 2;
    private static final int ADDRESS = 3;
    private static final int LINE = 4;
    private static final int FUNCTION_ID = 1;
    private static final int LINE_NUMBER = 2;
    // Fields of Function.
    private static final int NAME = 2;
    private static final int SYSTEM_NAME = 3;
    private static final int FUNCTION_FILENAME = 4;
    /** The number of the id field, which is the same in all these messages. */
    private static final int ID = 1;

    private final ShownStacks stacks;
    private final Strings strings;
    private final Map<Location, Integer> locations = new LinkedHashMap<>();
    private final Map<Function, Integer> functions = new LinkedHashMap<>();
    private final Map<String, Integer> mappings = new LinkedHashMap<>();
    /** The location of each shown frame, 0 if it has none yet. */
    private int[] ids = new int[1 << 10];

    private record Location(int mapping, long address, int function, int line) {}

    private record Function(String name, String systemName, String file) {}

    /**
     * Creates the locations.
     *
     * @param program the file of the recorded program, empty if it is unknown
     */
    Locations(ShownStacks stacks, Strings strings, String program) {
        this.stacks = stacks;
        this.strings = strings;
        mapping(program); // pprof uses the first mapping as the program
    }

    int id(int shownId) {
        if (shownId >= ids.length) {
            ids = Arrays.copyOf(ids, Math.max(shownId + 1, ids.length * 2));
        }
        if (ids[shownId] == 0) {
            ids[shownId] = location(shownId);
        }
        return ids[shownId];
    }

    private int location(int shownId) {
        ShownStacks.Shown shown = stacks.shown(shownId);
        Location location = switch (shown.frame()) {
            case Frame.Managed managed ->
                new Location(
                        0,
                        0,
                        function(shown.label(), managed.label() + managed.descriptor(), ""),
                        Math.max(0, managed.line()));
            case Frame.Native code ->
                new Location(
                        mapping(code.library()),
                        code.address(),
                        function(shown.label(), shown.label(), code.library()),
                        0);
            case Frame.Kernel _ -> new Location(0, 0, function(shown.label(), shown.label(), ""), 0);
            case Frame.Stub stub -> new Location(0, 0, function(shown.label(), stub.name(), ""), 0);
            case Frame.Omitted omitted -> new Location(0, 0, function(shown.label(), omitted.label(), ""), 0);
            case null -> new Location(0, 0, function(shown.label(), shown.label(), ""), 0);
        };
        return number(locations, location);
    }

    private int function(String name, String systemName, String file) {
        return number(functions, new Function(name, systemName, file));
    }

    private int mapping(String library) {
        return library.isEmpty() ? 0 : number(mappings, library);
    }

    private static <K> int number(Map<K, Integer> table, K key) {
        Integer known = table.putIfAbsent(key, table.size() + 1);
        return known == null ? table.size() : known;
    }

    void writeTo(ProtoMessage fields, OutputStream out) throws IOException {
        // Addresses are relative to the library, so a library has one mapping for its whole range. HAS_FUNCTIONS is
        // set, because the profile contains the names.
        mappings.forEach((library, id) -> fields.message(
                MAPPING,
                new ProtoMessage()
                        .number(ID, id)
                        .number(MEMORY_LIMIT, Long.MAX_VALUE)
                        .number(FILENAME, strings.id(library))
                        .number(HAS_FUNCTIONS, 1)));
        for (var entry : locations.entrySet()) {
            Location location = entry.getKey();
            fields.message(
                    LOCATION,
                    new ProtoMessage()
                            .number(ID, entry.getValue())
                            .number(MAPPING_ID, location.mapping)
                            .number(ADDRESS, location.address)
                            .message(
                                    LINE,
                                    new ProtoMessage()
                                            .number(FUNCTION_ID, location.function)
                                            .number(LINE_NUMBER, location.line)));
            Pprof.drainIfLong(fields, out);
        }
        for (var entry : functions.entrySet()) {
            Function function = entry.getKey();
            fields.message(
                    FUNCTION,
                    new ProtoMessage()
                            .number(ID, entry.getValue())
                            .number(NAME, strings.id(function.name))
                            .number(SYSTEM_NAME, strings.id(function.systemName))
                            .number(FUNCTION_FILENAME, strings.id(function.file)));
            Pprof.drainIfLong(fields, out);
        }
    }
}
