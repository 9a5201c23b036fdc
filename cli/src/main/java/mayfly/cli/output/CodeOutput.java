package mayfly.cli.output;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import mayfly.profile.Frame;
import mayfly.report.json.Json;
import mayfly.stack.CodeAddresses;

/** The code at addresses of a process, as text or as JSON: see docs/formats/stack-json.md. */
public final class CodeOutput {
    private CodeOutput() {}

    /**
     * Writes the address, and the frames below it as in a thread dump. Does not close the stream.
     *
     * @throws IOException if the stream cannot be written
     */
    public static void writeText(CodeAddresses addresses, OutputStream out) throws IOException {
        var text = new StringBuilder();
        for (CodeAddresses.Code code : addresses.code()) {
            text.append("0x").append(Long.toHexString(code.address()));
            if (code.frames().isEmpty()) {
                text.append(" unknown");
            } else {
                text.append(runtime(code.frames().getFirst()));
            }
            text.append('\n');
            for (Frame frame : code.frames()) {
                text.append("\tat ")
                        .append(StackText.line(frame))
                        .append(mode(frame))
                        .append('\n');
            }
        }
        out.write(text.toString().getBytes(StandardCharsets.UTF_8));
    }

    private static String runtime(Frame frame) {
        return switch (frame) {
            case Frame.Managed managed -> " " + managed.runtime();
            case Frame.Stub stub -> " " + stub.runtime();
            case Frame.Native _, Frame.Kernel _, Frame.Omitted _ -> "";
        };
    }

    private static String mode(Frame frame) {
        return frame instanceof Frame.Managed managed ? " [" + StackJson.mode(managed) + "]" : "";
    }

    /**
     * Writes one JSON object as one line. Does not close the stream.
     *
     * @throws IOException if the stream cannot be written
     */
    public static void writeJson(CodeAddresses addresses, OutputStream out) throws IOException {
        var json = new Json()
                .beginObject()
                .name("schema")
                .value("mayfly-code/1")
                .name("pid")
                .value(addresses.pid())
                .name("mainClass")
                .value(addresses.mainClass())
                .name("runtimes")
                .beginArray();
        addresses.runtimes().forEach(json::value);
        json.endArray().name("addresses").beginArray();
        for (CodeAddresses.Code code : addresses.code()) {
            json.beginObject()
                    .name("address")
                    .value("0x" + Long.toHexString(code.address()))
                    .name("frames")
                    .beginArray();
            code.frames().forEach(frame -> StackJson.frame(frame, json));
            json.endArray().endObject();
            json.drainTo(out);
        }
        json.endArray().endObject();
        json.drainTo(out);
        out.write('\n');
    }
}
