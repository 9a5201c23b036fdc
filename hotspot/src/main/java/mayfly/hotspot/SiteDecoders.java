package mayfly.hotspot;

import java.util.List;
import java.util.stream.Collectors;
import mayfly.arch.Architecture;
import mayfly.hotspot.frames.SiteDecoder;
import mayfly.hotspot.frames.x86.X86Sites;
import mayfly.hotspot.tables.UnsupportedVm;
import mayfly.hotspot.tables.UnsupportedVm.Reason;

/** The CPUs on which HotSpot's frames can be walked. */
final class SiteDecoders {
    /** One row for each CPU. */
    private static final List<SiteDecoder> ROWS = List.of(new X86Sites());

    private SiteDecoders() {}

    /**
     * Returns the decoder for a CPU.
     *
     * @throws UnsupportedVm if there is none
     */
    static SiteDecoder of(Architecture cpu) throws UnsupportedVm {
        return of(cpu, ROWS);
    }

    static SiteDecoder of(Architecture cpu, List<SiteDecoder> rows) throws UnsupportedVm {
        for (SiteDecoder row : rows) {
            // Not equals(): the JVM generates a record's equals() at its first use, which takes 14 ms.
            if (row.architecture().name().equals(cpu.name())) {
                return row;
            }
        }
        throw new UnsupportedVm(
                Reason.OTHER_CPU,
                "frames on " + cpu.name() + " are not supported; supported CPUs: "
                        + rows.stream().map(row -> row.architecture().name()).collect(Collectors.joining(", ")));
    }
}
