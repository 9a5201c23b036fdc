package mayfly.cli;

import java.time.Duration;
import mayfly.attach.channel.HostStatus;

/** The status of an active profiler of which there is nothing to say, as far as a test does not change it. */
public final class SampleStatus {
    public String state = "active";
    public String request = "aa11";
    public Duration attached = Duration.ZERO;
    public boolean jvmti;
    public long callbacks;
    public String longest = "";
    public boolean overdue;
    public long lost;
    public long thrown;
    public long collections;
    public Duration collecting = Duration.ZERO;
    public long framesOfReplacedCode;
    public long unmarkedRedefinitions;
    public String pinnedBy = "";

    public HostStatus make() {
        return new HostStatus(
                state,
                "a.Profiler",
                "r1",
                4096,
                request,
                attached,
                jvmti,
                false,
                callbacks,
                longest,
                overdue,
                lost,
                thrown,
                collections,
                collecting,
                framesOfReplacedCode,
                unmarkedRedefinitions,
                pinnedBy);
    }
}
