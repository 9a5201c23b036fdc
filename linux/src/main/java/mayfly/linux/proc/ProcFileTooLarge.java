package mayfly.linux.proc;

import java.io.IOException;

/** Thrown for a file of proc(5) that exceeds the caller's bound. */
public final class ProcFileTooLarge extends IOException {
    private static final long serialVersionUID = 1;

    ProcFileTooLarge(String message) {
        super(message);
    }
}
