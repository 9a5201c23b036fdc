package mayfly.cli.output;

import mayfly.stack.ThreadDump;

/** Shows the number of walked threads in one line on a terminal. Prints nothing if stderr is not a terminal. */
public final class DumpProgress implements ThreadDump.Progress, AutoCloseable {
    private final Terminal terminal;
    private final boolean shown;
    private boolean drawn;

    public DumpProgress(Terminal terminal, boolean quiet) {
        this.terminal = terminal;
        this.shown = !quiet && terminal.errCanRedraw();
    }

    @Override
    public void tick(int done, int total) {
        if (shown) {
            terminal.err()
                    .print(ProgressLine.REDRAW + Text.count(done) + " of " + Text.count(total)
                            + " threads (Ctrl-C ends)");
            terminal.err().flush();
            drawn = true;
        }
    }

    @Override
    public void close() {
        if (drawn) {
            terminal.err().print(ProgressLine.REDRAW);
            terminal.err().flush();
            drawn = false;
        }
    }
}
