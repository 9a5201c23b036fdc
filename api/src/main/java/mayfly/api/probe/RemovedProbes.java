package mayfly.api.probe;

import java.util.List;
import java.util.OptionalInt;
import mayfly.api.ClassId;

/**
 * The result of removing probes. The code of each class was compared with its code before the first probe: every
 * instruction of each method, with the constants to which it refers.
 *
 * @param methods the number of methods that had a probe and have none now; without those whose probe another agent had
 *     taken out before
 * @param framesOfReplacedCode the number of stack frames of platform threads that run code which has been replaced:
 *     frames of methods whose own code was changed, by the host or by another agent. They continue with that code until
 *     they return, and their calls are not reported. Empty if they cannot be counted, because the JVM does not
 *     enumerate its threads or its heap is full
 * @param changedClasses classes whose code now differs from that before the first probe, although no probe is left:
 *     another agent has changed them
 */
public record RemovedProbes(int methods, OptionalInt framesOfReplacedCode, List<ClassId> changedClasses) {}
