package mayfly.api.probe;

import java.util.List;

/**
 * The result of adding probes.
 *
 * @param methods the methods that have a probe now and had none before
 * @param refused the methods that match the pattern and have no new probe, by reason
 */
public record AddedProbes(List<ProbedMethod> methods, List<RefusedProbes> refused) {}
