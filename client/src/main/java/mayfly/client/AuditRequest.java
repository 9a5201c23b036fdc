package mayfly.client;

import java.nio.file.Path;

/** An audit to be made. Options and their values are those of {@code mayfly audit}, see docs/cli.md. */
public final class AuditRequest {
    private final Invocation invocation;

    AuditRequest(Invocation invocation) {
        this.invocation = invocation;
    }

    /** Saves the list in a file too, for {@link #compare}. */
    public AuditRequest save(Path file) {
        return new AuditRequest(invocation.with("--save", file));
    }

    /**
     * Lists everything in the process that a profiler could have left.
     *
     * @throws MayflyException if the process cannot be read, or the file of {@link #save} cannot be written
     * @throws InterruptedException if this thread is interrupted; the command is ended then
     */
    public AuditReport run() throws MayflyException, InterruptedException {
        return invocation.object(AuditResults.SCHEMA, AuditResults.Report::of);
    }

    /**
     * Lists the changes since an audit was saved. Leftovers are not a failure.
     *
     * @param saved a file that {@link #save} has written for the same process
     * @throws MayflyException if the process or the file cannot be read, or {@link #save} was called
     * @throws InterruptedException if this thread is interrupted; the command is ended then
     */
    public AuditComparison compare(Path saved) throws MayflyException, InterruptedException {
        return invocation.with("--compare", saved).objectWithVerdict(AuditResults.SCHEMA, AuditResults.Comparison::of);
    }
}
