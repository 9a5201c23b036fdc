package mayfly.hotspot.code;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import mayfly.hotspot.ForgedVm;
import mayfly.hotspot.ForgedVm.Blob;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.hotspot.tables.VmField;
import org.junit.jupiter.api.Test;

class CodeCacheTest {
    private static final long SECOND = 1_000_000_000L;

    @Test
    void blobIsFoundByAnyOfItsAddresses() throws Exception {
        for (ForgedVm vm : ForgedVm.both()) {
            Blob blob = vm.blob("Some stub", 6, new byte[80_000]); // more than 254 segments: several hops
            Blob nmethod = vm.nmethod(new ForgedNmethod(vm.method("a/B", "run", "()V", 8)).compileId(77));
            CodeCache cache = vm.cache();
            for (long pc = blob.address(); pc < blob.end(); pc += 61) {
                CodeBlob found = cache.find(pc, 0);
                assertThat(found).isNotNull();
                assertThat(found.address).isEqualTo(blob.address());
            }
            CodeBlob found = cache.find(blob.end() - 1, 0);
            assertThat(found.kind).isEqualTo(CodeBlob.Kind.RUNTIME_STUB);
            assertThat(found.frameSize).isEqualTo(6);
            assertThat(found.codeBegin).isEqualTo(blob.codeBegin());
            assertThat(found.codeEnd).isEqualTo(blob.codeBegin() + 80_000);
            CodeBlob compiled = cache.find(nmethod.codeBegin(), 0);
            assertThat(compiled).isInstanceOf(Nmethod.class);
            assertThat(compiled.identity).isEqualTo(77);
            assertThat(((Nmethod) compiled).compLevel).isEqualTo(4);
        }
    }

    @Test
    void tablesOfAnNmethodAreReadFromTheLayout() throws Exception {
        for (ForgedVm vm : ForgedVm.both()) {
            long method = vm.method("a/B", "run", "()V", 8);
            ForgedNmethod spec = new ForgedNmethod(method);
            spec.metadata(method);
            spec.pc(16, 1).scopes(new byte[] {0, 1, 2, 3, 4, 5, 6, 7});
            spec.verifiedEntry = 12;
            spec.deoptHandler = 40;
            spec.osrEntry = 20;
            spec.origPcOffset = 24;
            Blob blob = vm.nmethod(spec);
            Nmethod nmethod = (Nmethod) vm.cache().find(blob.codeBegin(), 0);
            assertThat(nmethod).isNotNull();
            assertThat(nmethod.verifiedEntry).isEqualTo(blob.codeBegin() + 12);
            assertThat(nmethod.osrEntry).isEqualTo(blob.codeBegin() + 20);
            assertThat(nmethod.deoptHandler).isEqualTo(blob.codeBegin() + 40);
            assertThat(nmethod.deoptMhHandler).isZero();
            assertThat(nmethod.origPcOffset).isEqualTo(24);
            assertThat(nmethod.tables.pcsLength()).isEqualTo(3 * vm.groupSize("PcDesc"));
            assertThat(nmethod.tables.scopesLength()).isEqualTo(8);
            assertThat(nmethod.tables.metadataLength()).isEqualTo(8);
            assertThat(vm.memory.readLong(nmethod.tables.metadata())).isEqualTo(method);
            assertThat(vm.memory.readByte(nmethod.tables.scopes() + 5)).isEqualTo(5);
            assertThat(nmethod.isDeoptHandler(blob.codeBegin() + 45)).isTrue();
            assertThat(nmethod.isDeoptHandler(blob.codeBegin() + 39)).isFalse();
        }
    }

    @Test
    void nmethodTablesOfNegativeSizeAreRefused() throws Exception {
        ForgedVm vm = ForgedVm.jdk25();
        Blob blob = vm.nmethod(new ForgedNmethod(vm.method("a/B", "run", "()V", 8)));
        vm.memory.putInt(blob.address() + vm.at(VmField.NMETHOD_IMMUTABLE_DATA_SIZE), -1);
        assertBad(vm.cache(), blob.codeBegin(), "an nmethod's table of ");
        ForgedVm old = ForgedVm.jdk17();
        Blob oldBlob = old.nmethod(new ForgedNmethod(old.method("a/B", "run", "()V", 8)));
        old.memory.putInt(oldBlob.address() + old.at(VmField.NMETHOD_DEPENDENCIES_OFFSET), Integer.MAX_VALUE);
        assertBad(old.cache(), oldBlob.codeBegin(), "an nmethod's table of ");
    }

    @Test
    void implausibleBlobsAreRefused() throws Exception {
        VmField[] fields = {
            VmField.BLOB_SIZE,
            VmField.BLOB_SIZE,
            VmField.BLOB_FRAME_SIZE,
            VmField.BLOB_CODE_OFFSET,
            VmField.BLOB_DATA_OFFSET,
            VmField.BLOB_NAME
        };
        int[] values = {0, -8, 1 << 21, -1, Integer.MAX_VALUE, 0};
        for (int i = 0; i < fields.length; i++) {
            ForgedVm vm = ForgedVm.jdk25();
            Blob blob = vm.blob("Some stub", 6, new byte[100]);
            vm.memory.putLong(blob.address() + vm.at(fields[i]), values[i] & 0xffff_ffffL);
            assertBad(vm.cache(), blob.codeBegin(), "CodeBlob at 0x");
        }
    }

    @Test
    void freeSpaceHoldsNoBlob() throws Exception {
        ForgedVm vm = ForgedVm.jdk25();
        CodeCache cache = vm.cache();
        assertThat(cache.find(vm.nextBlock() + 1000, 0)).isNull();
        assertThat(cache.find(ForgedVm.CODE - 1, 0)).isNull();
        assertThat(cache.find(0, 0)).isNull();
        assertThat(cache.find(-1, 0)).isNull();
    }

    @Test
    void segmentMapWithoutABlockStartIsRefused() throws Exception {
        ForgedVm vm = ForgedVm.jdk25();
        // Each segment contains "one back", including the first.
        for (int i = 0; i < 200; i++) {
            vm.memory.putByte(vm.segmap.base + i, 1);
        }
        assertBad(vm.cache(), ForgedVm.CODE + (150 << ForgedVm.LOG2_SEGMENT), "the segment map has no block start");
    }

    @Test
    void aSegmentMapThatLeadsToAnotherBlobIsRefused() throws Exception {
        ForgedVm vm = ForgedVm.jdk25();
        Blob blob = vm.blob("Some stub", 6, new byte[100]);
        long far = blob.address() + 4096;
        long segment = far - ForgedVm.CODE >> ForgedVm.LOG2_SEGMENT;
        long first = blob.address() - ForgedVm.CODE >> ForgedVm.LOG2_SEGMENT;
        vm.memory.putByte(vm.segmap.base + segment, (int) (segment - first));
        assertBad(vm.cache(), far, "does not reach 0x");
    }

    /**
     * The space of a freed blob was merged with the preceding space and allocated to a larger blob, which has not
     * overwritten all of the old blob yet.
     */
    @Test
    void blobWhoseSpaceWasMergedIntoAnotherIsNotInPlace() throws Exception {
        for (ForgedVm vm : ForgedVm.both()) {
            Blob before = vm.nmethod(new ForgedNmethod(vm.method("a/B", "before", "()V", 8)).compileId(1));
            Blob old = vm.nmethod(new ForgedNmethod(vm.method("a/B", "old", "()V", 8)).compileId(2));
            CodeCache cache = vm.cache();
            cache.newEpoch(10 * SECOND);
            assertThat(cache.find(old.codeBegin(), 10 * SECOND).identity).isEqualTo(2);
            cache.newEpoch(11 * SECOND);
            assertThat(cache.find(old.codeBegin(), 11 * SECOND).identity).isEqualTo(2);
            long first = before.address() - ForgedVm.CODE >> ForgedVm.LOG2_SEGMENT;
            long last = old.end() - 1 - ForgedVm.CODE >> ForgedVm.LOG2_SEGMENT;
            for (long segment = first + 1; segment <= last; segment++) {
                vm.memory.putByte(vm.segmap.base + segment, (int) (segment - first));
            }
            vm.memory.putInt(before.address() + vm.at(VmField.BLOB_SIZE), (int) (old.end() - before.address()));
            vm.memory.putInt(before.address() + vm.at(VmField.NMETHOD_COMPILE_ID), 3);
            cache.newEpoch(12 * SECOND);
            assertThat(cache.find(old.codeBegin(), 12 * SECOND).identity).isEqualTo(3);
            assertThat(cache.find(old.codeBegin(), 11 * SECOND).identity).isEqualTo(2);
        }
    }

    @Test
    void freedBlobIsFoundForEarlierSamplesOnly() throws Exception {
        ForgedVm vm = ForgedVm.jdk25();
        Blob blob = vm.nmethod(new ForgedNmethod(vm.method("a/B", "run", "()V", 8)));
        CodeCache cache = vm.cache();
        cache.newEpoch(10 * SECOND);
        CodeBlob first = cache.find(blob.codeBegin(), 10 * SECOND);
        vm.free(blob);
        vm.clearSegments(blob);
        assertThat(cache.find(blob.codeBegin(), 10 * SECOND))
                .as("accepted within the epoch")
                .isSameAs(first);
        cache.newEpoch(11 * SECOND);
        CodeBlob old = cache.find(blob.codeBegin(), 10 * SECOND);
        assertThat(old).isSameAs(first);
        assertThat(first.superseded).isTrue();
        assertThat(cache.supersededCount()).isEqualTo(1);
        cache.newEpoch(15 * SECOND);
        assertThat(cache.find(blob.codeBegin(), 10 * SECOND)).isSameAs(first);
        cache.newEpoch(16 * SECOND);
        assertThat(cache.find(blob.codeBegin(), 10 * SECOND))
                .as("dropped after five seconds")
                .isNull();
    }

    @Test
    void freedBlockInTheSegmentMapHasNoBlob() throws Exception {
        ForgedVm vm = ForgedVm.jdk25();
        Blob blob = vm.blob("Some stub", 6, new byte[100]);
        CodeCache cache = vm.cache();
        vm.free(blob);
        assertThat(cache.find(blob.codeBegin(), 0)).isNull();
    }

    @Test
    void replacedBlobIsFoundByTheTimeOfTheSample() throws Exception {
        for (ForgedVm vm : ForgedVm.both()) {
            long one = vm.method("a/One", "run", "()V", 8);
            long two = vm.method("a/Two", "run", "()V", 8);
            long block = vm.nextBlock();
            Blob blob = vm.nmethod(block, new ForgedNmethod(one).compileId(5));
            CodeCache cache = vm.cache();
            cache.newEpoch(SECOND);
            CodeBlob first = cache.find(blob.codeBegin(), SECOND);
            vm.nmethod(block, new ForgedNmethod(two).compileId(6));
            cache.newEpoch(2 * SECOND);
            CodeBlob second = cache.find(blob.codeBegin(), 2 * SECOND);
            assertThat(second).isNotSameAs(first);
            assertThat(second.hasPredecessor).isTrue();
            assertThat(second.identity).isEqualTo(6);
            assertThat(cache.find(blob.codeBegin(), SECOND)).isSameAs(first);
            assertThat(cache.find(blob.codeBegin(), 3 * SECOND)).isSameAs(second);
            assertThat(cache.find(blob.codeBegin(), SECOND + 1))
                    .as("between the two: unknown, so the one in place")
                    .isSameAs(second);
        }
    }

    @Test
    void aBlobThatOverlapsOthersSupersedesThem() throws Exception {
        ForgedVm vm = ForgedVm.jdk25();
        long block = vm.nextBlock();
        Blob a = vm.blob(block, "A", 2, 0, new byte[100], 0);
        Blob b = vm.blob("B", 2, new byte[100]);
        Blob c = vm.blob("C", 2, new byte[100]);
        CodeCache cache = vm.cache();
        cache.newEpoch(SECOND);
        CodeBlob foundA = cache.find(a.codeBegin(), SECOND);
        CodeBlob foundB = cache.find(b.codeBegin(), SECOND);
        CodeBlob foundC = cache.find(c.codeBegin(), SECOND);
        Blob wide = vm.blob(block, "wide", 2, 0, new byte[700], 0);
        cache.newEpoch(2 * SECOND);
        CodeBlob now = cache.find(wide.codeBegin() + 650, 2 * SECOND);
        assertThat(now.name).isEqualTo("wide");
        assertThat(foundA.superseded && foundB.superseded).isTrue();
        assertThat(cache.find(b.codeBegin(), SECOND)).isSameAs(foundB);
        assertThat(foundC.superseded).isEqualTo(c.address() < wide.end());
    }

    /** Another nmethod at the same address is not detected within the epoch, but in the next one. */
    @Test
    void aChangedIdentityIsNoticedOncePerEpoch() throws Exception {
        ForgedVm vm = ForgedVm.jdk17();
        Blob blob = vm.nmethod(new ForgedNmethod(vm.method("a/B", "run", "()V", 8)).compileId(1));
        CodeCache cache = vm.cache();
        CodeBlob first = cache.find(blob.codeBegin(), 0);
        vm.memory.putInt(blob.address() + vm.at(VmField.NMETHOD_COMPILE_ID), 2);
        assertThat(cache.isConfirmed(first)).isTrue();
        cache.newEpoch(SECOND);
        assertThat(cache.isConfirmed(first)).isFalse();
        assertThat(cache.isConfirmed(first)).isFalse();
        assertThat(cache.supersededCount()).isEqualTo(1);
        assertThat(cache.find(blob.codeBegin(), SECOND).identity).isEqualTo(2);
    }

    @Test
    void blobInUnmappedMemoryIsNotConfirmed() throws Exception {
        ForgedVm vm = ForgedVm.jdk25();
        CodeCache cache = vm.cache();
        CodeBlob blob = cache.find(vm.stubs.codeBegin(), 0);
        vm.memory.unmap(vm.code);
        cache.newEpoch(SECOND);
        assertThat(cache.isConfirmed(blob)).isFalse();
    }

    @Test
    void firstBlobsOfEachHeapAreListed() throws Exception {
        ForgedVm vm = ForgedVm.jdk25();
        Blob free = vm.blob("gone", 2, new byte[100]);
        vm.blob("here", 2, new byte[100]);
        vm.free(free);
        CodeCache cache = vm.cache();
        assertThat(cache.first(200, problem -> {}))
                .extracting(b -> b.name)
                .containsExactly("Interpreter", "StubRoutines (initial stubs)", "here");
        assertThat(cache.first(1, problem -> {})).extracting(b -> b.name).containsExactly("Interpreter");
    }

    private static void assertBad(CodeCache cache, long pc, String message) {
        assertThatThrownBy(() -> cache.find(pc, 0))
                .isInstanceOf(BadMetadata.class)
                .hasMessageContaining(message);
    }
}
