package mayfly.hotspot.tables;

import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.runtime.ModuleSymbols;

/**
 * The continuations of a VM, on which virtual threads run.
 *
 * @param entrySize the size of a ContinuationEntry on the stack, in bytes; 0 if the VM has no continuations
 * @param enterSpecialReturnAt the address of the variable that contains the return address in
 *         Continuation.enterSpecial; 0 if unknown. A VM of JDK 21 sets the variable when the first virtual thread runs,
 *         one of JDK 25 when it starts.
 */
public record Continuations(int entrySize, long enterSpecialReturnAt) {
    private static final String ENTER_SPECIAL_RETURN = "_ZN17ContinuationEntry10_return_pcE";

    public static Continuations of(VmLayout layout, JdkRules rules, ModuleSymbols symbols) {
        return new Continuations(
                layout.continuationEntrySize != 0 ? layout.continuationEntrySize : rules.continuationEntrySize(),
                layout.has(VmField.CONTINUATION_ENTRY_RETURN_PC)
                        ? layout.at(VmField.CONTINUATION_ENTRY_RETURN_PC)
                        : symbols.address(ENTER_SPECIAL_RETURN));
    }

    /** Returns false if no virtual thread can have run so far. */
    public boolean mayHaveRun(Memory memory) {
        try {
            return entrySize != 0 && (enterSpecialReturnAt == 0 || memory.readLong(enterSpecialReturnAt) != 0);
        } catch (MemoryFault e) {
            return true;
        }
    }
}
