package mayfly.hotspot.threads;

import java.util.List;
import java.util.Optional;
import mayfly.hotspot.code.Methods;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.process.MemoryFault;
import mayfly.process.Registers;
import mayfly.runtime.ModuleSymbols;
import mayfly.runtime.thread.AllocationCalls;

/**
 * The functions of AllocTracer, see allocTracer.hpp: the VM calls them at each refill of a thread's allocation buffer
 * (TLAB) and at each allocation outside of one, whether or not JFR runs. Their arguments are the Klass, the object, the
 * size of the buffer or of the object, and others.
 */
public final class AllocTracerCalls implements AllocationCalls {
    private static final int KLASS = 0;
    /** Upper bound on a size; a larger one is not believed. */
    private static final long MAX_BYTES = 1L << 40;

    /** A function: its mangled names, which have differed. */
    private enum Function {
        IN_NEW_TLAB(
                "_ZN11AllocTracer27send_allocation_in_new_tlabEP5KlassPP12HeapWordImplmmP10JavaThread",
                "_ZN11AllocTracer27send_allocation_in_new_tlabEP5KlassP8HeapWordmmP6Thread"),
        OUTSIDE_TLAB(
                "_ZN11AllocTracer28send_allocation_outside_tlabEP5KlassPP12HeapWordImplmP10JavaThread",
                "_ZN11AllocTracer28send_allocation_outside_tlabEP5KlassP8HeapWordmP6Thread");

        private final List<String> names;

        Function(String... names) {
            this.names = List.of(names);
        }

        /** Returns its address in the target; 0 if the library has no such symbol, because it is stripped. */
        long address(ModuleSymbols symbols) {
            return names.stream()
                    .mapToLong(symbols::address)
                    .filter(address -> address != 0)
                    .findFirst()
                    .orElse(0);
        }
    }

    private final List<Long> functions;
    private final Methods methods;

    private AllocTracerCalls(List<Long> functions, Methods methods) {
        this.functions = functions;
        this.methods = methods;
    }

    /** Returns the calls of a VM. Empty if a function has no symbol. */
    public static Optional<AllocationCalls> of(ModuleSymbols symbols, Methods methods) {
        List<Long> functions = List.of(Function.IN_NEW_TLAB.address(symbols), Function.OUTSIDE_TLAB.address(symbols));
        return functions.contains(0L) ? Optional.empty() : Optional.of(new AllocTracerCalls(functions, methods));
    }

    @Override
    public List<Long> functions() {
        return functions;
    }

    @Override
    public Allocation at(Registers registers) {
        List<Integer> arguments = registers.architecture().argumentRegisters();
        long bytes = registers.get(arguments.get(BYTES));
        return new Allocation(type(registers.get(arguments.get(KLASS))), bytes <= 0 || bytes > MAX_BYTES ? 0 : bytes);
    }

    private String type(long klass) {
        try {
            return TypeNames.inSource(methods.className(klass));
        } catch (MemoryFault | BadMetadata e) {
            return "";
        }
    }
}
