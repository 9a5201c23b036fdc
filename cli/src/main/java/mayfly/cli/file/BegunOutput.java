package mayfly.cli.file;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** A stream that records whether anything has been written to it. */
final class BegunOutput extends FilterOutputStream {
    private boolean hasBegun;

    BegunOutput(OutputStream out) {
        super(out);
    }

    /** Returns true if a byte has been written. */
    boolean hasBegun() {
        return hasBegun;
    }

    @Override
    public void write(int b) throws IOException {
        out.write(b);
        hasBegun = true;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        out.write(bytes, offset, length);
        hasBegun |= length > 0;
    }
}
