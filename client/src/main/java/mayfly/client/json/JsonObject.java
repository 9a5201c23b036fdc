package mayfly.client.json;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * A JSON object with typed access. A field that is missing or has another type causes a {@link BadJson}; fields that
 * are not read are ignored.
 */
public final class JsonObject {
    /** Creates a value from an object. */
    @FunctionalInterface
    public interface Reader<T> {
        /**
         * Creates the value.
         *
         * @throws BadJson if the object lacks a field, or a field has another type or value than expected
         */
        T read(JsonObject json) throws BadJson;
    }

    private final Map<?, ?> fields;

    private JsonObject(Map<?, ?> fields) {
        this.fields = fields;
    }

    /**
     * Parses a text that is one object.
     *
     * @throws BadJson if the text is not JSON, or not one object
     */
    public static JsonObject parse(String text) throws BadJson {
        return object("the text", JsonParser.parse(text));
    }

    /**
     * Parses a text that is one array of objects.
     *
     * @throws BadJson if the text is not JSON, or not one array of objects, or the reader throws
     */
    public static <T> List<T> parseArray(String text, Reader<T> reader) throws BadJson {
        return list("the text", JsonParser.parse(text), reader);
    }

    /** Returns true if the object has a field of this name. */
    public boolean has(String name) {
        return fields.containsKey(name);
    }

    /**
     * Returns a string.
     *
     * @throws BadJson if there is no such field, or it has another type
     */
    public String text(String name) throws BadJson {
        return cast(name, field(name), String.class, "string");
    }

    /**
     * Returns a boolean.
     *
     * @throws BadJson if there is no such field, or it has another type
     */
    public boolean flag(String name) throws BadJson {
        return cast(name, field(name), Boolean.class, "boolean");
    }

    /**
     * Returns an integer of 64 bits.
     *
     * @throws BadJson if there is no such field, or it has another type
     */
    public long number(String name) throws BadJson {
        return cast(name, field(name), Long.class, "integer");
    }

    /**
     * Returns a number; empty if it is negative, which stands for an unknown value.
     *
     * @throws BadJson if there is no such field, or it has another type
     */
    public OptionalLong known(String name) throws BadJson {
        long number = number(name);
        return number < 0 ? OptionalLong.empty() : OptionalLong.of(number);
    }

    /**
     * Returns an int; empty if it is negative, which stands for an unknown value.
     *
     * @throws BadJson if there is no such field, it has another type, or it does not fit an int
     */
    public OptionalInt knownInt(String name) throws BadJson {
        long number = number(name);
        if (number > Integer.MAX_VALUE) {
            throw new BadJson(name + " is " + number);
        }
        return number < 0 ? OptionalInt.empty() : OptionalInt.of((int) number);
    }

    /**
     * Returns a duration from nanoseconds.
     *
     * @throws BadJson if there is no such field, or it has another type
     */
    public Duration nanos(String name) throws BadJson {
        return Duration.ofNanos(number(name));
    }

    /**
     * Returns a duration from nanoseconds; empty if they are negative, which stands for an unknown value.
     *
     * @throws BadJson if there is no such field, or it has another type
     */
    public Optional<Duration> knownNanos(String name) throws BadJson {
        long nanos = number(name);
        return nanos < 0 ? Optional.empty() : Optional.of(Duration.ofNanos(nanos));
    }

    /**
     * Returns a time that is given in the form of ISO 8601.
     *
     * @throws BadJson if there is no such field, or it is not such a time
     */
    public Instant time(String name) throws BadJson {
        String text = text(name);
        try {
            return Instant.parse(text);
        } catch (DateTimeException e) {
            throw new BadJson(name + " is not a time");
        }
    }

    /**
     * Returns an object.
     *
     * @throws BadJson if there is no such field, or it has another type
     */
    public JsonObject object(String name) throws BadJson {
        return object(name, field(name));
    }

    /**
     * Returns the values that a reader creates from an array of objects.
     *
     * @throws BadJson if there is no such field, it is not an array of objects, or the reader throws
     */
    public <T> List<T> objects(String name, Reader<T> reader) throws BadJson {
        return list(name, field(name), reader);
    }

    /**
     * Returns an array of strings.
     *
     * @throws BadJson if there is no such field, or it is not an array of strings
     */
    public List<String> texts(String name) throws BadJson {
        var texts = new ArrayList<String>();
        for (Object element : cast(name, field(name), List.class, "array")) {
            texts.add(cast(name, element, String.class, "string"));
        }
        return List.copyOf(texts);
    }

    /**
     * Returns an object whose fields are all numbers, in its order.
     *
     * @throws BadJson if there is no such field, or it is not such an object
     */
    public Map<String, Long> numbers(String name) throws BadJson {
        var numbers = new LinkedHashMap<String, Long>();
        for (Map.Entry<?, ?> each : object(name).fields.entrySet()) {
            numbers.put(String.valueOf(each.getKey()), cast(name, each.getValue(), Long.class, "integer"));
        }
        return numbers;
    }

    private Object field(String name) throws BadJson {
        Object value = fields.get(name);
        if (value == null) {
            throw new BadJson("there is no field " + name);
        }
        return value;
    }

    private static JsonObject object(String name, Object value) throws BadJson {
        return new JsonObject(cast(name, value, Map.class, "object"));
    }

    private static <T> List<T> list(String name, Object value, Reader<T> reader) throws BadJson {
        var list = new ArrayList<T>();
        for (Object element : cast(name, value, List.class, "array")) {
            list.add(reader.read(object(name, element)));
        }
        return List.copyOf(list);
    }

    private static <T> T cast(String name, Object value, Class<T> type, String word) throws BadJson {
        if (!type.isInstance(value)) {
            throw new BadJson(name + " is not of the type " + word);
        }
        return type.cast(value);
    }
}
