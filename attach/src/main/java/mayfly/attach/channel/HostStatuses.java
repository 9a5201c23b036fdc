package mayfly.attach.channel;

import java.util.Comparator;
import java.util.List;

/**
 * The profilers attached to a process, at most one for each of its JVMs.
 *
 * @param known the profilers, by the ids of their JVMs
 * @param unknown the reason for each profiler whose state cannot be read
 */
public record HostStatuses(List<HostStatus> known, List<String> unknown) {
    /** Creates the statuses of a process. */
    public HostStatuses {
        known = List.copyOf(known);
        unknown = List.copyOf(unknown);
    }

    /** Returns the statuses in the records of a process. */
    public static HostStatuses of(HostRecords records) {
        return new HostStatuses(
                records.known().stream()
                        .sorted(Comparator.comparingInt(HostRecord::runtime))
                        .map(HostStatus::of)
                        .toList(),
                records.unknown().stream().map(HostRecords.Unknown::reason).toList());
    }
}
