package mayfly.report.json;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Writes one JSON value, see RFC 8259. All characters beyond ASCII are escaped, so that the output is valid in the
 * encoding of any locale.
 */
public final class Json {
    private final StringBuilder text = new StringBuilder();
    private boolean first = true;

    public Json beginObject() {
        return open('{');
    }

    public Json endObject() {
        return close('}');
    }

    public Json beginArray() {
        return open('[');
    }

    public Json endArray() {
        return close(']');
    }

    public Json name(String name) {
        comma();
        quote(name);
        text.append(':');
        first = true;
        return this;
    }

    public Json value(String value) {
        comma();
        quote(value);
        return this;
    }

    public Json value(long value) {
        comma();
        text.append(value);
        return this;
    }

    public Json value(boolean value) {
        comma();
        text.append(value);
        return this;
    }

    private Json open(char bracket) {
        comma();
        text.append(bracket);
        first = true;
        return this;
    }

    private Json close(char bracket) {
        text.append(bracket);
        first = false;
        return this;
    }

    private void comma() {
        if (!first) {
            text.append(',');
        }
        first = false;
    }

    private void quote(String value) {
        text.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                text.append('\\').append(c);
            } else if (c >= ' ' && c <= '~') {
                text.append(c);
            } else {
                text.append("\\u")
                        .append(Character.forDigit(c >> 12, 16))
                        .append(Character.forDigit(c >> 8 & 15, 16))
                        .append(Character.forDigit(c >> 4 & 15, 16))
                        .append(Character.forDigit(c & 15, 16));
            }
        }
        text.append('"');
    }

    /**
     * Writes the buffered text to a stream and removes it from the buffer, so that a long value needs little memory.
     *
     * @throws IOException if the stream cannot be written
     */
    public void drainTo(OutputStream out) throws IOException {
        out.write(text.toString().getBytes(StandardCharsets.US_ASCII));
        text.setLength(0);
    }

    /** Returns the number of buffered characters. */
    public int length() {
        return text.length();
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
