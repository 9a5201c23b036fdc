package mayfly.hotspot.frames;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import mayfly.arch.x86.CallInstruction;
import mayfly.arch.x86.StackDepth;
import mayfly.arch.x86.X86Instruction;
import mayfly.hotspot.code.CodeBlob;
import mayfly.hotspot.code.CodeCache;
import mayfly.hotspot.code.Codelets;
import mayfly.hotspot.code.DebugInfo;
import mayfly.hotspot.code.LeafReading;
import mayfly.hotspot.code.LeafRule;
import mayfly.hotspot.code.LeafScope;
import mayfly.hotspot.code.Method;
import mayfly.hotspot.code.Methods;
import mayfly.hotspot.code.Nmethod;
import mayfly.hotspot.code.StubNames;
import mayfly.hotspot.code.Tier;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.hotspot.tables.JdkRules;
import mayfly.hotspot.tables.VmField;
import mayfly.hotspot.tables.VmLayout;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.profile.Frame;
import mayfly.runtime.ModuleSymbols;
import org.jspecify.annotations.Nullable;

/** Creates sites: classifies a program counter by the kind of its blob, and decodes the code around it. */
final class Sites {
    /** The name of a frame whose method could not be read because its class had been unloaded. */
    static final String UNLOADED = "[unloaded method]";
    static final String STATIC_CALL_STUB = "static call stub";
    private static final String ENTER_SPECIAL_RETURN = "_ZN17ContinuationEntry10_return_pcE";
    private static final String RETURN_BARRIER = "cont_returnBarrier";
    private static final String EXCEPTION_BARRIER = "cont_returnBarrierExc";
    /** CompLevel_full_optimization. */
    private static final int C2_LEVEL = 4;
    private static final int PUSH_RBP = 0x55;
    /**
     * Upper bound on the bytes pushed by a stub without a frame. A stub that calls the VM has lowered the stack pointer
     * by one word for alignment, or not at all: unwind_exception of C1, forward_exception. Its rbp is that of some
     * caller.
     */
    private static final int MAX_WITHOUT_FRAME = 8;
    private static final Frame[] NOTHING = {};
    /** Debug information is dropped if it was not used for this long. It can be read again while the nmethod exists. */
    private static final long KEEP_NANOS = 20_000_000_000L;
    private static final int MAX_KEPT_BYTES = 10 << 20;
    /** Upper bound on the entries checked in each epoch, those read longest ago first. */
    private static final int LOOKS = 64;

    private final GeneratedCode generated;
    private final Memory memory;
    private final ModuleSymbols symbols;
    private final VmLayout layout;
    private final JdkRules rules;
    private final CodeCache cache;
    private final Methods methods;
    private final Codelets codelets;
    private final long callStubReturn;
    /** The address of the variable that contains the return address in Continuation.enterSpecial; 0 if unknown. */
    private final long enterSpecialReturnAt;
    /** The size of a ContinuationEntry on the stack, in bytes; 0 if the VM has no continuations. */
    private final int continuationEntrySize;
    private final ArrayDeque<Nmethod> withDebugInfo = new ArrayDeque<>();
    private int keptBytes;
    private @Nullable StubNames stubNames;

    Sites(GeneratedCode generated, Memory memory, ModuleSymbols symbols, VmLayout layout, JdkRules rules, CodeCache cache,
          Methods methods) throws MemoryFault, BadMetadata {
        this.generated = generated;
        this.memory = memory;
        this.symbols = symbols;
        this.layout = layout;
        this.rules = rules;
        this.cache = cache;
        this.methods = methods;
        this.codelets = Codelets.read(memory, layout);
        this.callStubReturn = memory.readLong(layout.at(VmField.CALL_STUB_RETURN_ADDRESS));
        this.enterSpecialReturnAt = layout.has(VmField.CONTINUATION_ENTRY_RETURN_PC)
                ? layout.at(VmField.CONTINUATION_ENTRY_RETURN_PC) : symbols.address(ENTER_SPECIAL_RETURN);
        this.continuationEntrySize = layout.continuationEntrySize != 0
                ? layout.continuationEntrySize : rules.continuationEntrySize();
    }

    Codelets codelets() {
        return codelets;
    }

    void newEpoch(long nowNanos) {
        for (int looks = Math.min(LOOKS, withDebugInfo.size()); looks > 0; looks--) {
            Nmethod oldest = withDebugInfo.removeFirst();
            DebugInfo info = oldest.debugInfo;
            if (info != null && keptBytes <= MAX_KEPT_BYTES && nowNanos - info.lastUsed < KEEP_NANOS) {
                withDebugInfo.addLast(oldest);
            } else if (info != null) {
                keptBytes -= info.retainedBytes();
                oldest.debugInfo = null;
            }
        }
    }

    /** Creates the site of a program counter in a blob. */
    Site make(long pc, CodeBlob blob, boolean exact) throws MemoryFault, BadMetadata {
        if (blob instanceof Nmethod nmethod) {
            return compiled(pc, nmethod, exact);
        }
        if (blob.kind == CodeBlob.Kind.INTERPRETER) {
            Codelets.Codelet codelet = codelets.at(pc);
            if (codelet == null) {
                throw new BadMetadata("no codelet at 0x" + Long.toHexString(pc));
            }
            return new InterpreterSite(generated, blob, codelet, activationEnd(pc, exact, codelet));
        }
        if (pc == callStubReturn) {
            return new EntrySite(generated, blob, new Frame.Stub(generated.id(), "call_stub"));
        }
        boolean isReturn = !exact && blob.kind != CodeBlob.Kind.VTABLE && CallInstruction.endsAt(pc, memory);
        if (!exact && blob.kind == CodeBlob.Kind.STUBS && isReturnBarrier(pc, isReturn)) {
            return new ContinuationSite(generated, blob, NOTHING, 0, continuationEntrySize);
        }
        return stub(pc, blob, exact, isReturn);
    }

    private @Nullable ActivationEnd activationEnd(long pc, boolean exact, Codelets.Codelet codelet) {
        ActivationEnd thrown = codelet.description().equals(Codelets.EXCEPTION_HANDLING) ? ExceptionExit.at(pc, memory) : null;
        return thrown == null && exact ? InterpreterExit.at(pc, memory) : thrown;
    }

    private Site stub(long pc, CodeBlob blob, boolean exact, boolean isReturn) throws MemoryFault {
        Frame.Stub frame = new Frame.Stub(generated.id(), name(pc, blob));
        int exit = exact ? StraightExit.returnAt(pc, blob.codeEnd, memory) : -1;
        if (exit >= 0) {
            return new StubSite(generated, blob, isReturn, frame, exit, -1, exit > 0);
        }
        int thawing = exact && blob.kind == CodeBlob.Kind.STUBS ? pushedBehindBarrier(pc, blob) : -1;
        if (thawing >= 0) {
            return new ContinuationSite(generated, blob, new Frame[] {frame}, thawing, continuationEntrySize);
        }
        long entry = entry(pc, blob);
        StackDepth pushed = (exact || blob.kind == CodeBlob.Kind.STUBS) && entry != 0
                ? StackDepth.at(pc, entry, blob.codeEnd, memory) : null;
        if (!exact && pushed != null && pushed.bytes() > MAX_WITHOUT_FRAME) {
            pushed = null; // it has a frame, which rbp points to
        }
        boolean pushesRbp = pushed != null && pushed.bytes() > 0
                && memory.readByte(entry + pushed.assumedAt()) == PUSH_RBP;
        int bytes = pushed == null ? -1 : pushed.bytes();
        if (exact && ExceptionBlob.is(blob)) {
            return new StubSite(generated, blob, isReturn, frame, ExceptionBlob.returnAddressAt(pc, blob, memory), -1, pushesRbp);
        }
        boolean assumed = pushed != null && pushed.isAssumed() && blob.kind != CodeBlob.Kind.ADAPTER;
        return new StubSite(generated, blob, isReturn, frame, assumed ? -1 : bytes, assumed ? bytes : -1, pushesRbp);
    }

    /**
     * Returns the start of the routine that contains an address, or 0 if it is unknown. Most blobs have one routine; in
     * a blob that has several, no path leads from its start to the others.
     */
    private long entry(long pc, CodeBlob blob) {
        return switch (blob.kind) {
            // Each entry of an adapter begins where a jump ends the one before.
            case RUNTIME_STUB, ADAPTER -> blob.codeBegin;
            case STUBS -> {
                long known = stubNames().entryOf(pc, blob);
                yield known != 0 ? known : blob.codeBegin;
            }
            default -> 0;
        };
    }

    private Site compiled(long pc, Nmethod nmethod, boolean exact) throws MemoryFault, BadMetadata {
        if (!exact && nmethod.isDeoptHandler(pc)) {
            return new DeoptimizedSite(generated, nmethod);
        }
        int offset = (int) (pc - nmethod.codeBegin);
        if (nmethod.kind == CodeBlob.Kind.NATIVE_NMETHOD) {
            Frame[] frames = {whole(nmethod)};
            if (pc == enterSpecialReturn()) {
                return new ContinuationSite(generated, nmethod, frames, 0, continuationEntrySize);
            }
            StackDepth exit = exact ? StraightExit.at(pc, nmethod, memory) : null;
            StackDepth depth = exit != null ? exit : wrapperDepth(pc, nmethod);
            return new CompiledSite(generated, nmethod, !exact && CallInstruction.endsAt(pc, memory), frames,
                    wrapperState(pc, nmethod, exact, depth), depth);
        }
        if (exact && CompiledPrologue.isStaticCallStub(pc, nmethod, memory)) {
            return new CompiledSite(generated, nmethod, false, new Frame[] {new Frame.Stub(generated.id(), STATIC_CALL_STUB)},
                    CompiledPrologue.State.ENTERED, null);
        }
        DebugInfo info = debugInfo(nmethod);
        boolean recorded = !exact && info != null && info.hasPcDescAt(offset);
        boolean isReturn = recorded || !exact && CallInstruction.endsAt(pc, memory);
        StackDepth depth = recorded ? StackDepth.WHOLE : depth(pc, nmethod, info);
        Frame[] frames = info == null
                ? new Frame[] {whole(nmethod, exact ? Frame.Certainty.ENCLOSING : Frame.Certainty.CERTAIN)}
                : exact ? leaf(nmethod, info, offset) : frames(nmethod, info, info.pcDesc(offset, false), true);
        LeafReading reading = exact && info != null && generated.isObserved() ? reading(nmethod, info, offset) : null;
        return new CompiledSite(generated, nmethod, isReturn, frames, state(pc, nmethod, exact, depth), depth, reading);
    }

    /**
     * Returns the frames at a sampled program counter. Before the frame is complete, that is the compiled method
     * itself.
     */
    private Frame[] leaf(Nmethod nmethod, DebugInfo info, int offset) {
        if (isEntry(nmethod, offset)) {
            return new Frame[] {whole(nmethod)};
        }
        LeafScope.Found found = LeafScope.at(offset, info.isEverywhere() || generated.recordsEverywhere(), nmethod, info,
                memory);
        if (found.pcDesc() != LeafScope.NONE) {
            return frames(nmethod, info, found.pcDesc(), found.exact());
        }
        // The next location has at least the line, if it has no inlined methods.
        Frame[] next = frames(nmethod, info, info.pcDesc(offset, true), false);
        return next.length == 1 ? next : new Frame[] {whole(nmethod, Frame.Certainty.ENCLOSING)};
    }

    private static boolean isEntry(Nmethod nmethod, int offset) {
        return nmethod.osrEntry == 0 && offset < nmethod.frameComplete;
    }

    /** Returns the choices of all rules if they can be compared with recorded information, otherwise null. */
    private @Nullable LeafReading reading(Nmethod nmethod, DebugInfo info, int offset) {
        if (!info.isEverywhere() && !generated.recordsEverywhere()) {
            return null;
        }
        DebugInfo hidden = info.atSafepoints();
        Frame[] recorded = leaf(nmethod, info, offset);
        Frame[] after = frames(nmethod, hidden, hidden.pcDesc(offset, true), true);
        Frame[] before = frames(nmethod, hidden, hidden.pcDescAtOrBefore(offset), true);
        boolean entry = isEntry(nmethod, offset);
        LeafScope.Found found = entry ? new LeafScope.Found(LeafScope.NONE, true)
                : LeafScope.at(offset, false, nmethod, hidden, memory);
        Frame[] branches = frames(nmethod, hidden, found.pcDesc(), true);
        return new LeafReading(recorded[0].label(), Map.of(LeafRule.AFTER, after[0].label(),
                LeafRule.BEFORE, before[0].label(), LeafRule.COMMON, common(after, before).label(),
                LeafRule.BRANCHES, branches[0].label()), found.exact(), nmethod.compLevel == C2_LEVEL);
    }

    /** Returns the innermost scope that two locations have in common, starting from the outermost. */
    private static Frame common(Frame[] a, Frame[] b) {
        Frame found = a[a.length - 1];
        for (int i = 1; i <= Math.min(a.length, b.length); i++) {
            Frame one = a[a.length - i];
            Frame other = b[b.length - i];
            if (!one.label().equals(other.label())) {
                break;
            }
            found = one;
            if (!one.equals(other)) {
                break; // different calls in one method: their callees are unrelated
            }
        }
        return found;
    }

    /** Returns true if a blob's own data records a call that returns to an address. */
    boolean recordsCall(long pc, CodeBlob blob) {
        DebugInfo info = blob instanceof Nmethod nmethod ? debugInfo(nmethod) : null;
        return info != null && info.hasPcDescAt((int) (pc - blob.codeBegin));
    }

    private CompiledPrologue.State state(long pc, Nmethod nmethod, boolean exact, @Nullable StackDepth depth)
            throws MemoryFault {
        if (!exact) {
            return CompiledPrologue.State.COMPLETE;
        }
        CompiledPrologue.State state = CompiledPrologue.at(pc, nmethod, memory);
        return state == CompiledPrologue.State.COMPLETE && depth != null
                ? CompiledPrologue.of(depth, nmethod.frameSize) : state;
    }

    /**
     * Returns the frame of a compiled method that has no scope here. Its class may have been unloaded since the sample.
     */
    private Frame whole(Nmethod nmethod) {
        return whole(nmethod, Frame.Certainty.CERTAIN);
    }

    private Frame whole(Nmethod nmethod, Frame.Certainty certainty) {
        Method method = generated.methodOrNull(nmethod.method);
        if (method == null) {
            generated.counters().unloaded++;
            return new Frame.Stub(generated.id(), UNLOADED);
        }
        return method.frame(generated.id(), nmethod.kind == CodeBlob.Kind.NATIVE_NMETHOD ? Tier.NATIVE : tier(nmethod),
                -1, certainty);
    }

    private static Tier tier(Nmethod nmethod) {
        return nmethod.compLevel == C2_LEVEL ? Tier.C2 : Tier.C1;
    }

    /**
     * Returns the frames of a PcDesc.
     *
     * @param certain true if it was recorded for the instruction; otherwise only the compiled method itself is certain
     */
    private Frame[] frames(Nmethod nmethod, DebugInfo info, int pcDesc, boolean certain) {
        Frame[] known = pcDesc < 0 ? null : info.frames(pcDesc, certain);
        if (known != null) {
            return known;
        }
        Frame.Certainty atLeaf = certain ? Frame.Certainty.CERTAIN : Frame.Certainty.ENCLOSING;
        List<Method> found = new ArrayList<>();
        List<Integer> bcis = new ArrayList<>();
        try {
            if (pcDesc < 0 || !info.scopes(pcDesc, (address, bci) -> {
                found.add(methods.at(address, cache.epoch()));
                bcis.add(bci);
            })) {
                return new Frame[] {whole(nmethod, atLeaf)};
            }
        } catch (MemoryFault | BadMetadata e) {
            return new Frame[] {whole(nmethod, atLeaf)}; // the class of an inlined method has been unloaded
        }
        Frame[] frames = new Frame[found.size()];
        for (int i = 0; i < frames.length; i++) {
            boolean inlined = i < frames.length - 1;
            Frame.Certainty certainty = inlined && !certain ? Frame.Certainty.INFERRED
                    : i == 0 ? atLeaf : Frame.Certainty.CERTAIN;
            frames[i] = found.get(i).frame(generated.id(), inlined ? Tier.INLINED : tier(nmethod), bcis.get(i),
                    certainty);
        }
        info.keep(pcDesc, certain, frames);
        return frames;
    }

    /** Returns null if it has been freed: since JDK 23 the VM frees it before the blob. */
    private @Nullable DebugInfo debugInfo(Nmethod nmethod) {
        DebugInfo info = nmethod.debugInfo;
        if (info == null) {
            try {
                info = DebugInfo.read(nmethod.tables, memory, layout, rules);
            } catch (MemoryFault e) {
                return null;
            }
            nmethod.debugInfo = info;
            keptBytes += info.retainedBytes();
            withDebugInfo.addLast(nmethod);
        }
        info.lastUsed = cache.now();
        return info;
    }

    /** Method handle intrinsics have wrappers without a frame: they move arguments and jump. */
    private CompiledPrologue.State wrapperState(long pc, Nmethod wrapper, boolean exact, @Nullable StackDepth depth)
            throws MemoryFault {
        return wrapper.frameSize == 0 ? CompiledPrologue.State.ENTERED
                : exact && depth != null ? CompiledPrologue.of(depth, wrapper.frameSize)
                : state(pc, wrapper, exact, depth);
    }

    /**
     * Decodes a wrapper from the point where its frame is built, because it removes the frame through the rbp that it
     * has set there.
     */
    private @Nullable StackDepth wrapperDepth(long pc, Nmethod wrapper) {
        StackDepth fromEntry = StackDepth.at(pc, wrapper.verifiedEntry, wrapper.codeEnd, memory);
        return fromEntry == null || fromEntry.isAssumed() ? depth(pc, wrapper, null)
                : fromEntry.below(8 * wrapper.frameSize - 8);
    }

    /**
     * Returns the distance of the stack pointer below the frame, from the instructions since the last location at which
     * it was 0.
     */
    private @Nullable StackDepth depth(long pc, Nmethod nmethod, @Nullable DebugInfo info) {
        long whole = nmethod.codeBegin + nmethod.frameComplete;
        if (info != null) {
            whole = Math.max(whole, nmethod.codeBegin + info.pcDescNotAfter((int) (pc - nmethod.codeBegin)));
        }
        // Between them, the entry for on-stack replacement builds the frame again.
        boolean replaced = nmethod.osrEntry >= whole && nmethod.osrEntry <= pc;
        return nmethod.frameComplete < 0 || replaced ? null : StackDepth.at(pc, whole, nmethod.codeEnd, memory);
    }

    /**
     * Returns true if the pc is StubRoutines::cont_returnBarrier. With symbols it is identified by name. Without, it is
     * the only address among the stubs that is used as a return address although no call precedes it.
     */
    private boolean isReturnBarrier(long pc, boolean afterCall) throws MemoryFault {
        if (continuationEntrySize == 0) {
            return false;
        }
        long known = stubNames().entry(RETURN_BARRIER);
        if (known != 0) {
            return pc == known || pc == stubNames().entry(EXCEPTION_BARRIER);
        }
        return !afterCall && (enterSpecialReturnAt == 0 || enterSpecialReturn() != 0);
    }

    /**
     * Returns the number of bytes that a return barrier has pushed below the ContinuationEntry, or -1 if this is not a
     * return barrier or it has reserved space for frames. Its first instruction sets the stack pointer to the entry,
     * which usually does not change it: see generate_cont_thaw in HotSpot's stubGenerator_x86_64.cpp.
     */
    private int pushedBehindBarrier(long pc, CodeBlob blob) {
        long entry = continuationEntrySize == 0 ? 0 : stubNames().entryOf(pc, blob);
        if (entry == 0 || entry != stubNames().entry(RETURN_BARRIER) && entry != stubNames().entry(EXCEPTION_BARRIER)) {
            return -1;
        }
        if (pc == entry) {
            return 0;
        }
        byte[] code = new byte[X86Instruction.MAX_LENGTH];
        X86Instruction first = new X86Instruction();
        try {
            memory.read(entry, code, 0, code.length);
        } catch (MemoryFault e) {
            return -1;
        }
        StackDepth pushed = first.decode(code, 0, code.length)
                ? StackDepth.at(pc, entry + first.length(), blob.codeEnd, memory) : null;
        return pushed == null || pushed.isAssumed() ? -1 : pushed.bytes();
    }

    /**
     * Reads the address each time, because the VM sets it when the first virtual thread runs. Returns 0 if it is
     * unknown.
     */
    private long enterSpecialReturn() throws MemoryFault {
        return enterSpecialReturnAt == 0 || continuationEntrySize == 0 ? 0 : memory.readLong(enterSpecialReturnAt);
    }

    /** Returns the name of code that is not a method. */
    String name(long pc, CodeBlob blob) {
        return switch (blob.kind) {
            case STUBS -> stubNames().at(pc, blob);
            case VTABLE -> "vtable stub";
            case ADAPTER -> "I2C/C2I adapter";
            default -> blob.name;
        };
    }

    private StubNames stubNames() {
        StubNames names = stubNames;
        if (names == null) {
            names = new StubNames(symbols, cache, memory);
            stubNames = names;
        }
        return names;
    }
}
