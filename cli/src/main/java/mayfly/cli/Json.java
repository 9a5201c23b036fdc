package mayfly.cli;

/** Writes one JSON value, see RFC 8259. All beyond ASCII is escaped, so that any locale's encoding can carry it. */
final class Json {
    private final StringBuilder text = new StringBuilder();
    private boolean first = true;

    Json beginObject() {
        return open('{');
    }

    Json endObject() {
        return close('}');
    }

    Json beginArray() {
        return open('[');
    }

    Json endArray() {
        return close(']');
    }

    Json name(String name) {
        comma();
        quote(name);
        text.append(':');
        first = true;
        return this;
    }

    Json value(String value) {
        comma();
        quote(value);
        return this;
    }

    Json value(long value) {
        comma();
        text.append(value);
        return this;
    }

    Json value(boolean value) {
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
                text.append("\\u").append(Character.forDigit(c >> 12, 16)).append(Character.forDigit(c >> 8 & 15, 16))
                        .append(Character.forDigit(c >> 4 & 15, 16)).append(Character.forDigit(c & 15, 16));
            }
        }
        text.append('"');
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
