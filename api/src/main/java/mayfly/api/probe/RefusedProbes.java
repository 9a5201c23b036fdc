package mayfly.api.probe;

import java.util.List;

/**
 * Methods that match a pattern and have no probe, all for the same reason.
 *
 * @param reason the reason
 * @param count the number of methods
 * @param examples at most eight of them, each as {@code class.method(descriptor)}: untrusted text
 */
public record RefusedProbes(ProbeRefusal reason, int count, List<String> examples) {}
