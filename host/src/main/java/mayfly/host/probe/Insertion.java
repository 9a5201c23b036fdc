package mayfly.host.probe;

import java.util.Map;
import mayfly.api.probe.ProbeRefusal;
import org.jspecify.annotations.Nullable;

/**
 * The result of an insertion of probes into a class.
 *
 * @param classFile the new class file; null if no method got a probe
 * @param refusals the methods that got none, by name and descriptor as in {@code run()V}, with the reasons
 */
public record Insertion(byte @Nullable [] classFile, Map<String, ProbeRefusal> refusals) {}
