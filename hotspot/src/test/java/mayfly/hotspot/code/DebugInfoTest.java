package mayfly.hotspot.code;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import mayfly.hotspot.ForgedVm;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.hotspot.tables.JdkRules;
import mayfly.hotspot.tables.Unsigned5;
import mayfly.profile.Frame;
import mayfly.profile.RuntimeId;
import org.junit.jupiter.api.Test;

class DebugInfoTest {
    private static final long METHOD = 0x7d00_0000_1000L;

    /** Returns the scopes of a pc: method addresses and bytecode indices, innermost first. */
    private static List<String> scopes(DebugInfo info, int offset, PcKind pcKind) throws Exception {
        List<String> found = new ArrayList<>();
        return info.scopesAt(offset, pcKind, (method, bci) -> found.add(Long.toHexString(method) + ":" + bci))
                ? found
                : List.of("none");
    }

    private static DebugInfo info(ForgedVm vm, BiConsumer<ForgedNmethod, Integer> fill) throws Exception {
        ForgedNmethod spec = new ForgedNmethod(METHOD);
        fill.accept(spec, vm.feature >= 20 ? 1 : 0);
        Nmethod nmethod = (Nmethod) vm.cache().find(vm.nmethod(spec).codeBegin(), 0);
        return DebugInfo.read(nmethod.tables, vm.memory, vm.layout(), JdkRules.of(vm.feature));
    }

    private static DebugInfo three(ForgedVm vm) throws Exception {
        return info(vm, (spec, excluded) -> {
            int method = spec.metadata(METHOD);
            spec.pc(8, spec.scope(excluded, 0, method, 1));
            spec.pc(24, spec.scope(excluded, 0, method, 2));
            spec.pc(40, spec.scope(excluded, 0, method, -1));
        });
    }

    @Test
    void returnAddressNeedsAPcDescAtItsOffset() throws Exception {
        for (ForgedVm vm : ForgedVm.both()) {
            DebugInfo info = three(vm);
            assertThat(info.hasPcDescAt(8)).isTrue();
            assertThat(info.hasPcDescAt(40)).isTrue();
            assertThat(info.hasPcDescAt(9)).isFalse();
            assertThat(info.hasPcDescAt(0)).isFalse();
            assertThat(info.hasPcDescAt(41)).isFalse();
            assertThat(scopes(info, 8, PcKind.RETURN)).containsExactly("7d0000001000:1");
            assertThat(scopes(info, 24, PcKind.RETURN)).containsExactly("7d0000001000:2");
            assertThat(scopes(info, 40, PcKind.RETURN)).containsExactly("7d0000001000:-1");
        }
    }

    /** An interrupted instruction belongs to the next safepoint after it. */
    @Test
    void interruptedPcHasTheScopeOfTheNextPcDesc() throws Exception {
        for (ForgedVm vm : ForgedVm.both()) {
            DebugInfo info = three(vm);
            assertThat(scopes(info, 0, PcKind.INTERRUPTED)).containsExactly("7d0000001000:1");
            assertThat(scopes(info, 7, PcKind.INTERRUPTED)).containsExactly("7d0000001000:1");
            assertThat(scopes(info, 8, PcKind.INTERRUPTED)).containsExactly("7d0000001000:2");
            assertThat(scopes(info, 39, PcKind.INTERRUPTED)).containsExactly("7d0000001000:-1");
            assertThat(scopes(info, 40, PcKind.INTERRUPTED))
                    .as("after the last")
                    .containsExactly("none");
            assertThat(scopes(info, 1000, PcKind.INTERRUPTED)).containsExactly("none");
            assertThat(scopes(info, Integer.MAX_VALUE, PcKind.INTERRUPTED)).containsExactly("none");
        }
    }

    @Test
    void inlinedScopesAreOrderedInnermostFirst() throws Exception {
        for (ForgedVm vm : ForgedVm.both()) {
            DebugInfo info = info(vm, (spec, excluded) -> {
                int outer = spec.metadata(0xa0);
                int middle = spec.metadata(0xb0);
                int inner = spec.metadata(0xc0);
                int one = spec.scope(excluded, 0, outer, 300);
                int two = spec.scope(excluded, one, middle, 20_000);
                spec.pc(16, spec.scope(excluded, two, inner, 0));
            });
            assertThat(scopes(info, 16, PcKind.RETURN)).containsExactly("c0:0", "b0:20000", "a0:300");
        }
    }

    @Test
    void aScopeThatIsItsOwnSenderIsRefused() throws Exception {
        for (ForgedVm vm : ForgedVm.both()) {
            DebugInfo info = info(vm, (spec, excluded) -> {
                int method = spec.metadata(METHOD);
                spec.pc(8, spec.scope(excluded, 1, method, 1)); // the first scope begins at 1
            });
            assertThatThrownBy(() -> scopes(info, 8, PcKind.RETURN)).isInstanceOf(BadMetadata.class);
        }
    }

    @Test
    void circularScopesAreRefused() throws Exception {
        for (ForgedVm vm : ForgedVm.both()) {
            DebugInfo info = info(vm, (spec, excluded) -> {
                int method = spec.metadata(METHOD);
                int first = spec.scope(excluded, 4, method, 1);
                assertThat(spec.scope(excluded, first, method, 2)).isEqualTo(4);
                spec.pc(8, first);
            });
            assertThatThrownBy(() -> scopes(info, 8, PcKind.RETURN))
                    .isInstanceOf(BadMetadata.class)
                    .hasMessageContaining("more than 512 scopes");
        }
    }

    @Test
    void scopeWithAMethodOutsideTheTableIsRefused() throws Exception {
        for (int index : new int[] {0, 2, 1 << 20, -1, Integer.MIN_VALUE}) {
            for (ForgedVm vm : ForgedVm.both()) {
                DebugInfo info = info(vm, (spec, excluded) -> {
                    spec.metadata(METHOD);
                    spec.pc(8, spec.scope(excluded, 0, index, 1));
                });
                assertThatThrownBy(() -> scopes(info, 8, PcKind.RETURN))
                        .isInstanceOf(BadMetadata.class)
                        .hasMessageContaining("a scope with method ");
            }
        }
    }

    @Test
    void aScopeOutsideItsDataIsRefused() throws Exception {
        for (int at : new int[] {-1, 1000, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            for (ForgedVm vm : ForgedVm.both()) {
                DebugInfo info = info(vm, (spec, excluded) -> spec.pc(8, at));
                assertThatThrownBy(() -> scopes(info, 8, PcKind.RETURN)).isInstanceOf(BadMetadata.class);
            }
        }
    }

    /** A scope offset of 0 means that nothing was recorded. */
    @Test
    void scopeOffsetZeroMeansNoScope() throws Exception {
        DebugInfo info = info(ForgedVm.jdk25(), (spec, excluded) -> spec.pc(8, 0));
        assertThat(scopes(info, 8, PcKind.RETURN)).containsExactly("none");
    }

    @Test
    void emptyTablesYieldNoScopes() throws Exception {
        ForgedVm vm = ForgedVm.jdk25();
        DebugInfo info = DebugInfo.read(
                new Nmethod.Tables(vm.heap.base, 0, vm.heap.base, 0, vm.heap.base, 0, 0, 0, 0),
                vm.memory,
                vm.layout(),
                JdkRules.of(25));
        assertThat(info.hasPcDescAt(0)).isFalse();
        assertThat(scopes(info, 0, PcKind.INTERRUPTED)).containsExactly("none");
        assertThat(info.retainedBytes()).isZero();
    }

    @Test
    void monitorsAreThoseOfTheInnermostScopeFirstAndTheLastEnteredFirst() throws Exception {
        for (ForgedVm vm : ForgedVm.both()) {
            int[] objects = {0};
            DebugInfo info = info(vm, (spec, excluded) -> {
                int method = spec.metadata(METHOD);
                int ofOuter = spec.append(monitors(excluded, 6, 1, 2, 9));
                int ofInner = spec.append(monitors(excluded, 2, 7));
                objects[0] = spec.append(object(vm.feature, excluded, 1, 44));
                int outer = spec.scope(excluded, 0, method, 1, ofOuter);
                int middle = spec.scope(excluded, outer, method, 2, 0);
                spec.pc(8, spec.scope(excluded, middle, method, 3, ofInner));
                spec.pc(24, spec.scope(excluded, 0, method, 3, 0));
            });
            assertThat(info.monitors(info.pcDesc(8, PcKind.RETURN), objects[0]))
                    .as("JDK %d", vm.feature)
                    .containsExactly(
                            new MonitorValue(0, false, MonitorValue.Place.CONSTANT, false, 7),
                            new MonitorValue(2, false, MonitorValue.Place.REPLACED, false, 0),
                            new MonitorValue(2, false, MonitorValue.Place.REPLACED, false, 0),
                            new MonitorValue(2, false, MonitorValue.Place.REPLACED, false, 44));
            assertThat(info.monitors(info.pcDesc(24, PcKind.RETURN), objects[0]))
                    .isEmpty();
        }
    }

    /** Returns monitors of objects, all of the same kind of value. */
    private static byte[] monitors(int excluded, int code, int... objects) {
        byte[] bytes = Unsigned5.encode(objects.length, excluded);
        for (int object : objects) {
            bytes = Unsigned5.join(
                    bytes,
                    Unsigned5.encode(0, excluded),
                    Unsigned5.encode(code, excluded),
                    Unsigned5.encode(object, excluded),
                    new byte[1]);
        }
        return bytes;
    }

    /** Returns the description of one object without fields. */
    private static byte[] object(int feature, int excluded, int id, int classAt) {
        return Unsigned5.join(
                Unsigned5.encode(1, excluded),
                Unsigned5.encode(5, excluded),
                Unsigned5.encode(id, excluded),
                new byte[feature >= 22 ? 1 : 0],
                Unsigned5.encode(2, excluded),
                Unsigned5.encode(classAt, excluded),
                Unsigned5.encode(0, excluded));
    }

    /** All program counters up to a PcDesc share it, and its cached frames. */
    @Test
    void framesAreCachedByPcDesc() throws Exception {
        for (ForgedVm vm : ForgedVm.both()) {
            DebugInfo info = three(vm);
            int second = info.pcDesc(9, PcKind.INTERRUPTED);
            assertThat(info.frames(second, true)).isNull();
            Frame[] frames = {new Frame.Stub(new RuntimeId(1), "second")};
            info.keep(second, true, frames);
            assertThat(info.frames(info.pcDesc(23, PcKind.INTERRUPTED), true)).isSameAs(frames);
            assertThat(info.frames(info.pcDesc(24, PcKind.RETURN), true)).isSameAs(frames);
            assertThat(info.frames(info.pcDesc(24, PcKind.INTERRUPTED), true)).isNull();
            assertThat(info.frames(info.pcDesc(8, PcKind.RETURN), true)).isNull();
        }
    }
}
