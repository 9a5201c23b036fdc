package mayfly.hotspot.code;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import mayfly.arch.x86.X86_64;
import mayfly.hotspot.ForgedVm;
import mayfly.hotspot.tables.JdkRules;
import mayfly.hotspot.tables.VmField;
import org.junit.jupiter.api.Test;

/** A method as C2 writes it: a call, arithmetic, a branch to a trap, a load that may fault, a poll, the traps. */
class LeafScopeTest {
    private static final long METHOD = 0x7d00_0000_1000L;
    private static final String INC = "48 ff c0";
    private static final String CALL = "e8 00 00 00 00";

    /** The method under construction. */
    private static final class Code {
        private final ForgedVm vm;
        private final ForgedNmethod spec = new ForgedNmethod(METHOD);
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final List<Integer> oopMaps = new ArrayList<>();
        private final int method;

        Code(ForgedVm vm) {
            this.vm = vm;
            method = spec.metadata(METHOD);
            add("48 83 ec 18");
            spec.frameComplete = 4;
        }

        /** Appends instructions and returns the offset of the first. */
        int add(String... instructions) {
            int at = bytes.size();
            for (String instruction : instructions) {
                bytes.writeBytes(HexFormat.of().parseHex(instruction.replace(" ", "")));
            }
            return at;
        }

        int increments(int count) {
            int at = bytes.size();
            for (int i = 0; i < count; i++) {
                add(INC);
            }
            return at;
        }

        /** Adds debug information for a bytecode index, with an oop map, at the current offset. */
        void describe(int bci) {
            describeWithoutOopMap(bci);
            oopMaps.add(bytes.size());
        }

        void describeWithoutOopMap(int bci) {
            spec.pc(bytes.size(), spec.scope(vm.feature >= 20 ? 1 : 0, 0, method, bci));
        }

        int call(int bci) {
            int at = add(CALL);
            describe(bci);
            return at;
        }

        Nmethod nmethod() throws Exception {
            spec.oopMaps = oopMaps.stream().mapToInt(Integer::intValue).toArray();
            add("f4"); // hlt, as at the end of every method
            spec.instructions = bytes.toByteArray();
            return (Nmethod) vm.cache().find(vm.nmethod(spec).codeBegin(), 0);
        }

        DebugInfo info(Nmethod nmethod) throws Exception {
            return DebugInfo.read(nmethod.tables, vm.memory, vm.layout(), JdkRules.of(vm.feature));
        }

        /** Returns the scope found at an offset as a bytecode index, -1 for none, and whether it is exact. */
        String found(int offset) throws Exception {
            Nmethod nmethod = nmethod();
            DebugInfo info = info(nmethod);
            LeafScope.Found found =
                    LeafScope.at(offset, false, nmethod, info, vm.memory, X86_64.ARCHITECTURE.instructions());
            int[] bci = {-1};
            if (found.pcDesc() != LeafScope.NONE) {
                info.scopes(found.pcDesc(), (address, at) -> bci[0] = at);
            }
            return bci[0] + (found.exact() ? " exact" : "");
        }
    }

    private interface Check {
        void in(Code code) throws Exception;
    }

    private static void inBoth(Check check) throws Exception {
        for (ForgedVm vm : ForgedVm.both()) {
            check.in(new Code(vm));
        }
    }

    @Test
    void scopeAtACallIsExact() throws Exception {
        inBoth(code -> {
            code.increments(3);
            int call = code.call(7);
            code.increments(3);
            code.call(9);
            assertThat(code.found(call)).isEqualTo("7 exact");
        });
    }

    @Test
    void scopeAtASafepointPollIsExact() throws Exception {
        inBoth(code -> {
            code.increments(3);
            code.describe(5);
            int poll = code.add("41 85 02"); // test [r10],eax
            code.increments(3);
            code.call(9);
            assertThat(code.found(poll)).isEqualTo("5 exact");
        });
    }

    /** The PcDesc of a call lies at the start of the next instruction, but does not describe that instruction. */
    @Test
    void scopeAfterACallIsNotExact() throws Exception {
        inBoth(code -> {
            code.call(7);
            int behind = code.increments(8);
            code.call(9);
            assertThat(code.found(behind)).isEqualTo("7");
        });
    }

    @Test
    void aBranchToATrapHasTheScopeOfTheTrap() throws Exception {
        inBoth(code -> {
            code.call(1);
            int before = code.increments(3);
            code.add("74 0d"); // je over 8 bytes and the call, to the trap
            code.increments(2);
            code.add("eb 05"); // jmp over the call
            code.call(2);
            code.add("be 45 ff ff ff"); // mov esi, the trap's request
            code.call(3);
            assertThat(code.found(before)).isEqualTo("3");
        });
    }

    @Test
    void implicitExceptionHasTheScopeOfItsTrap() throws Exception {
        inBoth(code -> {
            code.call(1);
            code.increments(10);
            int load = code.add("8b 43 08"); // mov eax,[rbx+8]
            code.increments(10);
            code.call(2);
            int trap = code.add("be f6 ff ff ff");
            code.call(3);
            code.spec.implicitExceptions = new int[] {load, trap};
            assertThat(code.found(load)).isEqualTo("3");
            assertThat(code.found(load + 3)).as("after it").isEqualTo("3");
            assertThat(code.found(load - 6)).as("before it").isEqualTo("3");
            assertThat(code.found(load + 3 + 8 * 3)).as("just before the call").isEqualTo("2");
        });
    }

    @Test
    void nearPrecedingScopeIsPreferredToAFarFollowingOne() throws Exception {
        inBoth(code -> {
            code.call(1);
            int behind = code.increments(30);
            code.call(2);
            assertThat(code.found(behind)).isEqualTo("1");
            assertThat(code.found(behind + 15 * 3)).as("in the middle").isEqualTo("2");
        });
    }

    @Test
    void codeAfterAJumpDoesNotTakeTheScopeBeforeIt() throws Exception {
        inBoth(code -> {
            code.call(1);
            code.add("eb 09"); // jmp over the three increments
            int elsewhere = code.increments(20);
            code.call(2);
            assertThat(code.found(elsewhere)).isEqualTo("2");
        });
    }

    @Test
    void jumpIsFollowedToTheNextScope() throws Exception {
        inBoth(code -> {
            int at = code.increments(2);
            code.add("eb 05"); // jmp over the call
            code.call(1);
            code.increments(2);
            code.call(2);
            assertThat(code.found(at)).isEqualTo("2");
        });
    }

    @Test
    void codeWithoutDebugInfoHasNoScope() throws Exception {
        inBoth(code -> {
            int at = code.increments(100);
            code.add("c3");
            code.call(1);
            assertThat(code.found(at)).isEqualTo("-1");
        });
    }

    @Test
    void anUnknownInstructionEndsTheSearch() throws Exception {
        inBoth(code -> {
            int at = code.increments(2);
            code.add("06");
            code.call(1);
            assertThat(code.found(at)).isEqualTo("-1");
            assertThat(code.found(at + 1)).as("inside an instruction").isNotNull();
            assertThat(code.found(1 << 20)).as("after the code").isEqualTo("-1");
        });
    }

    @Test
    void loopWithoutDebugInfoEndsTheSearch() throws Exception {
        inBoth(code -> {
            int at = code.increments(2);
            code.add("eb f8"); // jmp to the first
            assertThat(code.found(at)).isEqualTo("-1");
        });
    }

    @Test
    void pcDescsWithoutOopMapsMeanFullDebugInfo() throws Exception {
        inBoth(code -> {
            code.call(1);
            code.increments(1);
            Nmethod few = code.nmethod();
            assertThat(code.info(few).isEverywhere()).isFalse();
        });
        inBoth(code -> {
            code.call(1);
            code.increments(1);
            code.describeWithoutOopMap(2);
            int last = code.increments(1);
            code.call(3);
            Nmethod nmethod = code.nmethod();
            DebugInfo info = code.info(nmethod);
            assertThat(info.isEverywhere()).isTrue();
            assertThat(info.hasPcDescAt(last)).isTrue();
            DebugInfo hidden = info.atSafepoints();
            assertThat(hidden.isEverywhere()).isFalse();
            assertThat(hidden.hasPcDescAt(last)).isFalse();
            assertThat(hidden.hasPcDescAt(last + 8)).isTrue();
        });
    }

    /** Tables with absurd contents are read within bounds, and invalid ones count as empty. */
    @Test
    void implausibleTablesAreTreatedAsEmpty() throws Exception {
        for (int count : new int[] {-1, Integer.MAX_VALUE, 1 << 20}) {
            inBoth(code -> {
                code.call(1);
                Nmethod nmethod = code.nmethod();
                code.vm.memory.putInt(nmethod.tables.oopMaps() + code.vm.at(VmField.OOP_MAPS_COUNT), count);
                code.vm.memory.putInt(nmethod.tables.implicitExceptions(), count);
                SafepointOffsets offsets = code.info(nmethod).safepoints();
                assertThat(offsets.known()).isFalse();
                assertThat(offsets.oopMaps()).isEmpty();
                assertThat(offsets.faulting()).isEmpty();
                assertThat(code.info(nmethod).isEverywhere()).isFalse();
            });
        }
    }
}
