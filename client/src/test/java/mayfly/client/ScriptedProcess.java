package mayfly.client;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** A process that has ended, with its output and exit code. */
final class ScriptedProcess extends Process {
    private final int code;
    private final InputStream out;
    private final InputStream err;

    ScriptedProcess(int code, byte[] out, String err) {
        this.code = code;
        this.out = new ByteArrayInputStream(out);
        this.err = new ByteArrayInputStream(err.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public OutputStream getOutputStream() {
        return new ByteArrayOutputStream();
    }

    @Override
    public InputStream getInputStream() {
        return out;
    }

    @Override
    public InputStream getErrorStream() {
        return err;
    }

    @Override
    public int waitFor() {
        return code;
    }

    @Override
    public boolean waitFor(long timeout, TimeUnit unit) {
        return true;
    }

    @Override
    public int exitValue() {
        return code;
    }

    @Override
    public boolean isAlive() {
        return false;
    }

    @Override
    public void destroy() {
        throw new IllegalStateException("it has ended");
    }
}
