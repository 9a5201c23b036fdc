package mayfly.client.json;

/** A text is not the expected JSON: it is malformed, or a field is missing or has another type. */
public final class BadJson extends Exception {
    private static final long serialVersionUID = 1;

    public BadJson(String message) {
        super(message);
    }
}
