package mayfly.unwind;

import java.util.function.Predicate;
import mayfly.arch.Architecture;
import mayfly.arch.Epilogue;
import mayfly.arch.InstructionSet;
import mayfly.binary.BadFormat;
import mayfly.binary.dwarf.CallFrameInfo;
import mayfly.binary.dwarf.UnwindRow;
import mayfly.binary.elf.ElfFile;
import mayfly.profile.Frame;
import mayfly.profile.column.PcMap;
import org.jspecify.annotations.Nullable;

/** The sites of a process's native code, created on first use. */
final class NativeSites {
    /** Upper bound on the cached program counters, at which the cache is emptied. Programs use fewer. */
    private static final int MAX_SITES = 1 << 20;

    /**
     * Upper bound on the distance from an address back to the system call that could have started a thread there, in
     * bytes.
     */
    private static final int NEAR = 16;
    /**
     * Upper bound on the length of entry code, in bytes. The entry code of glibc's dynamic linker has 61 bytes; that of
     * programs is shorter.
     */
    private static final int ENTRY_LENGTH = 64;

    private final NativeCode code;
    private final Predicate<NativeModule> vm;
    private final Architecture architecture;
    private final InstructionSet instructions;
    private final PcMap<NativeSite> exact = new PcMap<>(MAX_SITES);
    private final PcMap<NativeSite> returns = new PcMap<>(MAX_SITES);
    private final FrameDepths depths;
    private int generation;
    private long lastReturn;
    private @Nullable NativeSite lastSite;

    NativeSites(NativeCode code, Predicate<NativeModule> vm) {
        this.code = code;
        this.vm = vm;
        this.architecture = code.architecture();
        this.instructions = architecture.instructions();
        this.generation = code.generation();
        this.depths = new FrameDepths(code);
    }

    void clear() {
        exact.clear();
        returns.clear();
        lastSite = null;
        depths.clear();
    }

    /** Returns the result of {@link FrameDepths#cfaAboveSp}. */
    long cfaAboveSp(long pc, NativeSite site, boolean isExact) {
        return depths.cfaAboveSp(pc, site, isExact);
    }

    /**
     * Returns true if the site of a return address is cached. Keeps the site for the next call of {@link #at}, which
     * usually requests it.
     */
    boolean knowsReturn(long address) {
        NativeSite site = returns.get(address);
        lastReturn = address;
        lastSite = site;
        return site != null;
    }

    /** Returns the site of a program counter, or null if it is not code. */
    @Nullable
    NativeSite at(long pc, boolean isExact) {
        if (generation != code.generation()) {
            generation = code.generation();
            clear();
        }
        if (!isExact && pc == lastReturn && lastSite != null) {
            return lastSite;
        }
        PcMap<NativeSite> known = isExact ? exact : returns;
        NativeSite site = known.get(pc);
        if (site != null || !code.isCode(pc)) {
            return site;
        }
        NativeModule module = code.moduleAt(pc);
        if (module == null || module.elf() == null) {
            // Anonymous code may be replaced at any time, so it is not cached.
            String name = module == null ? "" : module.library();
            long address = module == null ? pc : pc - module.start();
            return NativeSite.without(new Frame.Native(name, address, "", false), NativeSite.Kind.NONE);
        }
        site = make(module, pc, isExact);
        known.put(pc, site);
        return site;
    }

    private NativeSite make(NativeModule module, long pc, boolean isExact) {
        // A call that does not return may be a function's last instruction; its return address is then in the next
        // function.
        long vaddr = module.vaddr(isExact ? pc : pc - 1);
        Frame.Native frame = new Frame.Native(module.library(), vaddr, "", vm.test(module));
        CallFrameInfo frames = module.frames();
        try {
            UnwindRow row = frames == null ? null : frames.rowAt(vaddr);
            if (row == null && frames != null) {
                // A signal handler returns to the first byte of the restorer. A thread in sigreturn(2) is after the
                // restorer's last byte.
                row = isExact ? restorer(frames, vaddr - instructions.systemCallLength()) : restorer(frames, vaddr + 1);
            }
            if (row == null || frames == null) {
                return withoutRow(module, frames, pc, isExact, frame);
            }
            if (row.signalFrame() && !isExact) {
                // The restorer was not called, so the return address itself identifies it, not a call before that
                // address.
                frame = new Frame.Native(frame.library(), module.vaddr(pc), "", frame.vm());
            }
            return NativeSite.of(architecture, frame, row, isExact ? kept(module, frames, pc, row) : 0);
        } catch (BadFormat e) {
            return NativeSite.without(frame, NativeSite.Kind.BAD);
        }
    }

    /** Returns the row at an address if it is that of a signal restorer, otherwise null. */
    private static @Nullable UnwindRow restorer(CallFrameInfo frames, long vaddr) throws BadFormat {
        UnwindRow row = frames.rowAt(vaddr);
        return row != null && row.signalFrame() ? row : null;
    }

    private long kept(NativeModule module, CallFrameInfo frames, long pc, UnwindRow row) throws BadFormat {
        long[] function = frames.functionAt(module.vaddr(pc));
        if (function == null || row.signalFrame()) {
            return 0;
        }
        byte[] ahead = ahead(module, pc);
        Epilogue epilogue = instructions.epilogue(ahead, pc, function[0] + module.bias(), function[1] + module.bias());
        long mask = 0;
        for (int r = 0; r < row.registers(); r++) {
            mask |= epilogue.keeps(r) ? 1L << r : 0;
        }
        return mask;
    }

    /**
     * Returns the readable bytes of code from the program counter on, at most {@link InstructionSet#epilogueWindow()}.
     */
    private byte[] ahead(NativeModule module, long pc) {
        byte[] ahead = new byte[instructions.epilogueWindow()];
        while (ahead.length > 0 && !code.read(module, pc, ahead)) {
            ahead = new byte[ahead.length / 2];
        }
        return ahead;
    }

    private NativeSite withoutRow(
            NativeModule module, @Nullable CallFrameInfo frames, long pc, boolean isExact, Frame.Native frame)
            throws BadFormat {
        if (isEntry(module, isExact ? pc : pc - 1)) {
            return NativeSite.without(frame, NativeSite.Kind.ROOT);
        }
        if (!isExact) {
            return NativeSite.without(frame, NativeSite.Kind.NONE);
        }
        boolean afterSystemCall = afterSystemCall(module, frames, pc);
        byte[] ahead = ahead(module, pc);
        Epilogue epilogue = instructions.epilogueOfUndescribed(ahead, pc);
        if (epilogue.leaves()) {
            NativeSite.Kind kind = afterSystemCall ? NativeSite.Kind.THREAD_START : NativeSite.Kind.LEAF;
            return NativeSite.leaf(frame, kind, epilogue);
        }
        return afterSystemCall
                ? NativeSite.threadStart(frame, architecture)
                : NativeSite.without(frame, NativeSite.Kind.NONE);
    }

    /**
     * Returns true if an address lies in the code at which the kernel starts a program or dynamic linker. This code has
     * no caller. In glibc's dynamic linker it has no call-frame information.
     */
    private static boolean isEntry(NativeModule module, long address) {
        ElfFile elf = module.elf();
        long entry = elf == null ? 0 : elf.entry();
        long offset = module.vaddr(address) - entry;
        return entry != 0 && offset >= 0 && offset < ENTRY_LENGTH;
    }

    /**
     * Returns true if an address follows a system call before which the call-frame information ends, as in glibc's
     * clone. After this call there are two threads.
     */
    private boolean afterSystemCall(NativeModule module, @Nullable CallFrameInfo frames, long pc) throws BadFormat {
        byte[] before = new byte[NEAR];
        if (frames == null || !code.read(module, pc - NEAR, before)) {
            return false;
        }
        for (int i = 0; i < NEAR; i++) {
            if (instructions.isSystemCall(before, i)) {
                return frames.rowAt(module.vaddr(pc - NEAR + i - 1)) != null;
            }
        }
        return false;
    }
}
