package mayfly.wire;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import mayfly.api.Event;
import mayfly.api.Status;
import mayfly.wire.launch.LaunchFileFormat;
import mayfly.wire.launch.LaunchFlag;
import mayfly.wire.launch.LaunchOffset;
import mayfly.wire.life.HostLife;
import mayfly.wire.life.HostState;
import mayfly.wire.message.AttachBlob;
import mayfly.wire.message.AttachFlag;
import mayfly.wire.message.AttachOffset;
import mayfly.wire.message.AttachSize;
import mayfly.wire.message.DetachFlag;
import mayfly.wire.message.EmitOffset;
import mayfly.wire.message.FollowFlag;
import mayfly.wire.message.GoneOffset;
import mayfly.wire.message.MessageOffset;
import mayfly.wire.message.MessageSize;
import mayfly.wire.message.MessageType;
import mayfly.wire.message.ResultOffset;
import mayfly.wire.message.RuntimeOffset;

/**
 * Writes the constants of this package as C headers: {@code wire.h} has the constants and {@code wire_checks.h}
 * asserts that the structs of C have the offsets and sizes of the record. {@code life_rows.h} has the rows of
 * {@link HostLife}. The build runs this class before the C sources are compiled.
 */
final class Header {
    static final List<Class<?>> CONSTANTS = List.of(
            AnchorPage.class,
            AttachBlob.class,
            AttachFlag.class,
            AttachOffset.class,
            AttachSize.class,
            DetachFlag.class,
            EmitOffset.class,
            EventError.class,
            FollowFlag.class,
            GoneOffset.class,
            HostName.class,
            HostRecordFile.class,
            HostState.class,
            LastingCost.class,
            LaunchFileFormat.class,
            LaunchFlag.class,
            LaunchOffset.class,
            LoadOption.class,
            LoadResult.class,
            LogTopic.class,
            MessageOffset.class,
            MessageSize.class,
            MessageType.class,
            ManagementState.class,
            PathOutcome.class,
            ProbeCall.class,
            RecordOffset.class,
            RecordSize.class,
            ResultOffset.class,
            RunningOffset.class,
            RuntimeOffset.class,
            UpcallKind.class);
    private static final String FIRST_LINE = "/* Generated from the constants of mayfly.wire. */\n";

    private Header() {}

    /**
     * Writes the headers. An unchanged header is not rewritten, so that the build does not compile the C sources again.
     *
     * @param arguments the folder for the headers, which is created if necessary
     * @throws IOException if they cannot be written
     */
    public static void main(String[] arguments) throws IOException {
        Path folder = Files.createDirectories(Path.of(arguments[0]));
        write(folder.resolve("wire.h"), constants());
        write(folder.resolve("wire_checks.h"), checks());
        write(folder.resolve("life_rows.h"), lifeRows());
    }

    private static void write(Path file, String text) throws IOException {
        if (!Files.exists(file) || !Files.readString(file).equals(text)) {
            Files.writeString(file, text);
        }
    }

    /** Returns the text of wire.h. */
    static String constants() {
        StringBuilder out = new StringBuilder(FIRST_LINE).append("#ifndef MAYFLY_WIRE_H\n#define MAYFLY_WIRE_H\n");
        for (Class<?> each : CONSTANTS) {
            appendConstants(out, each);
        }
        out.append("\nenum event_bit {\n");
        for (Event event : Event.values()) {
            append(out, "EVENT_BIT_" + event.name(), 1 << event.number());
        }
        out.append("};\n\nenum status {\n");
        for (Status status : Status.values()) {
            append(out, "STATUS_" + status.name(), status.number());
        }
        out.append("};\n\nenum host_life {\n");
        for (HostLife state : HostLife.values()) {
            append(out, "HOST_LIFE_" + state.name(), state.ordinal());
        }
        return out.append("};\n\n#endif\n").toString();
    }

    /** Returns the text of life_rows.h: a row for each state, whose {@code next} has a bit for each successor. */
    static String lifeRows() {
        StringBuilder out = new StringBuilder(FIRST_LINE);
        for (HostLife state : HostLife.values()) {
            int next =
                    state.next().stream().mapToInt(each -> 1 << each.ordinal()).sum();
            out.append("[HOST_LIFE_")
                    .append(state.name())
                    .append("] = {.published = ")
                    .append(state.published)
                    .append(", .admits_callbacks = ")
                    .append(state.admitsCallbacks)
                    .append(", .has_environment = ")
                    .append(state.hasEnvironment)
                    .append(", .next = 0x")
                    .append(Integer.toHexString(next))
                    .append("},\n");
        }
        return out.toString();
    }

    private static void appendConstants(StringBuilder out, Class<?> type) {
        String prefix = prefix(type);
        out.append('\n');
        for (Field field : type.getFields()) {
            if (value(field) instanceof String text) {
                out.append("#define ")
                        .append(prefix)
                        .append(field.getName())
                        .append(" \"")
                        .append(text)
                        .append("\"\n");
            }
        }
        out.append("enum ")
                .append(prefix.substring(0, prefix.length() - 1).toLowerCase(Locale.ROOT))
                .append(" {\n");
        for (Field field : type.getFields()) {
            Object value = value(field);
            if (value instanceof Character letter) {
                append(out, prefix + field.getName(), letter);
            } else if (value instanceof Integer number) {
                append(out, prefix + field.getName(), number);
            }
        }
        out.append("};\n");
    }

    private static void append(StringBuilder out, String name, int value) {
        out.append("    ").append(name).append(" = ").append(value).append(",\n");
    }

    /** Returns the text of wire_checks.h. */
    static String checks() {
        StringBuilder out = new StringBuilder(FIRST_LINE);
        appendOffsets(out, RecordOffset.class, "record");
        appendOffsets(out, RunningOffset.class, "running");
        for (Field field : RecordSize.class.getFields()) {
            appendCheck(out, "sizeof((struct record *)0)->" + inC(field), field);
        }
        out.append("_Static_assert(sizeof(struct record) == ")
                .append(HostRecordFile.SIZE)
                .append(" && sizeof(struct running) == ")
                .append(HostRecordFile.SLOT_SIZE)
                .append(", \"mayfly.wire.HostRecordFile\");\n");
        return out.toString();
    }

    private static void appendOffsets(StringBuilder out, Class<?> type, String struct) {
        for (Field field : type.getFields()) {
            appendCheck(out, "offsetof(struct " + struct + ", " + inC(field) + ")", field);
        }
    }

    private static void appendCheck(StringBuilder out, String actual, Field field) {
        out.append("_Static_assert(")
                .append(actual)
                .append(" == ")
                .append(value(field))
                .append(", \"")
                .append(field.getDeclaringClass().getName())
                .append("\");\n");
    }

    private static String inC(Field field) {
        return field.getName().toLowerCase(Locale.ROOT);
    }

    /** Returns the prefix of a class's constants: {@code MESSAGE_TYPE_} for {@code MessageType}. */
    private static String prefix(Class<?> type) {
        return type.getSimpleName().replaceAll("(?<=[a-z])(?=[A-Z])", "_").toUpperCase(Locale.ROOT) + "_";
    }

    private static Object value(Field field) {
        try {
            return field.get(null);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }
}
