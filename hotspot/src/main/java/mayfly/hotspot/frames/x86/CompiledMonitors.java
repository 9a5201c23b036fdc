package mayfly.hotspot.frames.x86;

import mayfly.arch.x86.X86_64;
import mayfly.hotspot.code.MonitorSlot;
import mayfly.hotspot.code.MonitorSlot.Form;
import mayfly.hotspot.code.MonitorValue;
import mayfly.hotspot.code.Nmethod;
import mayfly.process.MemoryFault;
import mayfly.process.Registers;
import mayfly.runtime.FrameCursor;

/** Reads the objects of the monitors that a compiled frame has entered. */
final class CompiledMonitors {
    /** The VMReg of rbp: each general register has two, see vmreg_x86.hpp. */
    private static final int RBP = 2 * 5;

    private CompiledMonitors() {}

    /**
     * Returns a monitor with the reference to its object.
     *
     * @param cursor at a return address in the frame, so that its stack pointer is that of the complete frame
     * @throws MemoryFault if that part of the stack cannot be read
     */
    static MonitorSlot slot(MonitorValue monitor, FrameCursor cursor, Nmethod nmethod) throws MemoryFault {
        return switch (monitor.place()) {
            case STACK -> copied(monitor, cursor.stackWord(cursor.registers().sp() + monitor.number()));
            case REGISTER -> register(monitor, cursor.registers());
            case CONSTANT -> constant(monitor, Form.ADDRESS, nmethod);
            case REPLACED -> constant(monitor, Form.CLASS_ADDRESS, nmethod);
            case UNKNOWN -> of(monitor, Form.UNKNOWN, 0);
        };
    }

    /** Compiled code saves no register but rbp, so that no other one is known at a return address. */
    private static MonitorSlot register(MonitorValue monitor, Registers registers) {
        return monitor.number() == RBP && registers.knows(X86_64.RBP)
                ? copied(monitor, registers.get(X86_64.RBP))
                : of(monitor, Form.UNKNOWN, 0);
    }

    private static MonitorSlot copied(MonitorValue monitor, long word) {
        return monitor.narrow() ? of(monitor, Form.NARROW, word & 0xffff_ffffL) : of(monitor, Form.REFERENCE, word);
    }

    private static MonitorSlot constant(MonitorValue monitor, Form form, Nmethod nmethod) {
        long table = nmethod.tables.oops();
        boolean known = table != 0 && monitor.number() > 0;
        return of(
                monitor,
                known || form == Form.CLASS_ADDRESS ? form : Form.UNKNOWN,
                known ? table + 8L * (monitor.number() - 1) : 0);
    }

    private static MonitorSlot of(MonitorValue monitor, Form form, long value) {
        return new MonitorSlot(monitor.scope(), monitor.eliminated(), form, value);
    }
}
