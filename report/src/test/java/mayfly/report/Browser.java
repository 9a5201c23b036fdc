package mayfly.report;

import java.io.BufferedReader;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A headless Chromium, controlled by the DevTools protocol over a WebSocket (RFC 6455), with real clicks and keys. */
final class Browser implements AutoCloseable {
    private static final Pattern LISTENING = Pattern.compile("DevTools listening on (ws://\\S+)");
    private static final Pattern VALUE = Pattern.compile("\"value\":\"([^\"]*)\"");

    private final Process process;
    private final Path profile;
    private final Socket socket;
    private final DataInputStream in;
    private final OutputStream out;
    private final String session;
    /** Messages of the browser other than replies: requests, errors, console. */
    final List<String> events = new ArrayList<>();

    private int lastId;

    static Optional<Path> find() {
        return Stream.of("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome")
                .map(Path::of)
                .filter(Files::isExecutable)
                .findFirst();
    }

    Browser(Path program) throws IOException {
        profile = Files.createTempDirectory("mayfly-browser");
        process = new ProcessBuilder(
                        program.toString(),
                        "--headless",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-quic",
                        "--no-first-run",
                        "--disable-background-networking",
                        "--hide-scrollbars",
                        "--remote-debugging-port=0",
                        "--user-data-dir=" + profile,
                        "about:blank")
                .redirectErrorStream(true)
                .start();
        URI uri = endpoint();
        socket = new Socket(uri.getHost(), uri.getPort());
        in = new DataInputStream(new java.io.BufferedInputStream(socket.getInputStream(), 1 << 16));
        out = socket.getOutputStream();
        upgrade(uri);
        String target = field(call("Target.createTarget", "\"url\":\"about:blank\"", ""), "targetId");
        session = field(
                call("Target.attachToTarget", "\"targetId\":\"" + target + "\",\"flatten\":true", ""), "sessionId");
        for (String domain : List.of("Page", "Runtime", "Network", "Log")) {
            send(domain + ".enable", "");
        }
        size(1440, 860, 1);
    }

    private URI endpoint() throws IOException {
        var reader = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
            Matcher matcher = LISTENING.matcher(line);
            if (matcher.find()) {
                Thread.ofVirtual().start(() -> reader.lines().forEach(_ -> {}));
                return URI.create(matcher.group(1));
            }
        }
        throw new IOException("the browser ended before it opened its port");
    }

    private void upgrade(URI uri) throws IOException {
        out.write(("GET " + uri.getPath() + " HTTP/1.1\r\nHost: " + uri.getAuthority()
                        + "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                        + "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII));
        out.flush();
        int newlines = 0;
        while (newlines < 2) {
            int c = in.read();
            if (c != '\r') {
                newlines = c == '\n' ? newlines + 1 : 0;
            }
        }
    }

    void size(int width, int height, double ratio) throws IOException {
        send(
                "Emulation.setDeviceMetricsOverride",
                "\"width\":" + width + ",\"height\":" + height + ",\"deviceScaleFactor\":" + ratio
                        + ",\"mobile\":false");
    }

    void theme(String scheme) throws IOException {
        send(
                "Emulation.setEmulatedMedia",
                "\"features\":[{\"name\":\"prefers-color-scheme\",\"value\":\"" + scheme + "\"}]");
    }

    /** Opens a flame graph, and waits until it is loaded. */
    void open(Path page, String hash) throws IOException {
        events.clear();
        send("Page.navigate", "\"url\":\"about:blank\"");
        send("Page.navigate", "\"url\":\"" + page.toUri() + hash + "\"");
        while (!isLoaded()) {
            Thread.onSpinWait();
        }
        evaluate("mayfly.loaded");
        frame();
    }

    /**
     * Returns true if the page is loaded. While one page replaces another, evaluation is a protocol error, and the
     * result is false.
     */
    private boolean isLoaded() throws IOException {
        String reply = call(
                "Runtime.evaluate",
                "\"expression\":\"document.readyState + (window.mayfly ? 1 : 0)\"",
                ",\"sessionId\":\"" + session + "\"",
                true);
        return reply.contains("\"complete1\"");
    }

    /** Waits until the requested state is drawn. */
    void frame() throws IOException {
        evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))");
    }

    /** Returns the value of an expression, as JSON. */
    String evaluate(String expression) throws IOException {
        String wrapped = "Promise.resolve(" + expression + ").then(v => encodeURIComponent(JSON.stringify(v ?? null)))";
        String reply = send("Runtime.evaluate", "\"awaitPromise\":true,\"expression\":\"" + quote(wrapped) + "\"");
        Matcher value = VALUE.matcher(reply);
        if (!value.find() || reply.contains("\"exceptionDetails\"")) {
            throw new IOException(expression + ": " + reply);
        }
        return URLDecoder.decode(value.group(1).replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    /** Returns the value of an expression that is a number. */
    double number(String expression) throws IOException {
        return Double.parseDouble(evaluate(expression));
    }

    /** Returns the value of an expression that is a string. */
    String text(String expression) throws IOException {
        return URLDecoder.decode(
                evaluate("encodeURIComponent(" + expression + ")")
                        .replace("\"", "")
                        .replace("+", "%2B"),
                StandardCharsets.UTF_8);
    }

    void click(double x, double y) throws IOException {
        String at = "\"x\":" + x + ",\"y\":" + y;
        send("Input.dispatchMouseEvent", "\"type\":\"mouseMoved\"," + at);
        for (String type : List.of("mousePressed", "mouseReleased")) {
            send("Input.dispatchMouseEvent", "\"type\":\"" + type + "\",\"button\":\"left\",\"clickCount\":1," + at);
        }
        frame();
    }

    void hover(double x, double y) throws IOException {
        send("Input.dispatchMouseEvent", "\"type\":\"mouseMoved\",\"x\":" + x + ",\"y\":" + y);
        frame();
    }

    /** Presses keys by their names, such as {@code /}, {@code Enter}, {@code ArrowDown}. */
    void press(String... keys) throws IOException {
        for (String key : keys) {
            String text = key.length() == 1 ? ",\"text\":\"" + quote(key) + "\"" : "";
            String code = switch (key) {
                case "Enter" -> ",\"windowsVirtualKeyCode\":13,\"text\":\"\\r\"";
                case "Escape" -> ",\"windowsVirtualKeyCode\":27";
                default -> "";
            };
            send("Input.dispatchKeyEvent", "\"type\":\"keyDown\",\"key\":\"" + quote(key) + "\"" + text + code);
            send("Input.dispatchKeyEvent", "\"type\":\"keyUp\",\"key\":\"" + quote(key) + "\"" + code);
        }
        frame();
    }

    byte[] screenshot() throws IOException {
        return Base64.getDecoder().decode(field(send("Page.captureScreenshot", "\"format\":\"png\""), "data"));
    }

    private String send(String method, String parameters) throws IOException {
        return call(method, parameters, ",\"sessionId\":\"" + session + "\"");
    }

    private String call(String method, String parameters, String suffix) throws IOException {
        return call(method, parameters, suffix, false);
    }

    private String call(String method, String parameters, String suffix, boolean mayFail) throws IOException {
        int id = ++lastId;
        write("{\"id\":" + id + ",\"method\":\"" + method + "\",\"params\":{" + parameters + "}" + suffix + "}");
        while (true) {
            String message = read();
            if (message.startsWith("{\"id\":" + id + ",")) {
                if (!mayFail && message.startsWith("\"error\"", message.indexOf(',') + 1)) {
                    throw new IOException(method + ": " + message);
                }
                return message;
            }
            events.add(message);
        }
    }

    private static String field(String json, String name) {
        Matcher matcher = Pattern.compile("\"" + name + "\":\"([^\"]*)\"").matcher(json);
        if (!matcher.find()) {
            throw new IllegalStateException(name + " is not in " + json);
        }
        return matcher.group(1);
    }

    private static String quote(String text) {
        return text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    }

    private void write(String message) throws IOException {
        byte[] body = message.getBytes(StandardCharsets.UTF_8);
        ByteBuffer frame = ByteBuffer.allocate(body.length + 14).put((byte) 0x81);
        if (body.length < 126) {
            frame.put((byte) (0x80 | body.length));
        } else {
            frame.put((byte) 0xFF).putLong(body.length);
        }
        out.write(frame.putInt(0).put(body).array(), 0, frame.position());
        out.flush();
    }

    private String read() throws IOException {
        var message = new java.io.ByteArrayOutputStream();
        int first;
        do {
            first = in.readUnsignedByte();
            long length = in.readUnsignedByte() & 0x7F;
            if (length == 126) {
                length = in.readUnsignedShort();
            } else if (length == 127) {
                length = in.readLong();
            }
            message.writeBytes(in.readNBytes((int) length));
        } while ((first & 0x80) == 0);
        return message.toString(StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
        write("{\"id\":" + ++lastId + ",\"method\":\"Browser.close\"}");
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        socket.close();
        try (Stream<Path> files = Files.walk(profile)) {
            for (Path file : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
