package mayfly.hotspot.code;

import java.util.List;
import mayfly.hotspot.tables.JdkRules;
import mayfly.hotspot.tables.VmLayout;
import mayfly.process.Memory;

/**
 * The parts with which the data structures of one VM are read.
 *
 * @param memory the target's memory
 * @param layout the location of each field
 * @param referenceShifts see {@code SiteDecoder.referenceShifts}
 * @param rules the differences of the VM's JDK
 * @param methods the methods of the VM
 */
public record VmReaders(
        Memory memory, VmLayout layout, List<Integer> referenceShifts, JdkRules rules, Methods methods) {}
