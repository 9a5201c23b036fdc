package mayfly.record;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import mayfly.linux.proc.KernelSymbols;
import mayfly.profile.Frame;
import org.junit.jupiter.api.Test;

class KernelFramesTest {
    private static final long FIRST = 0xffff_ffff_8100_0000L;
    private static final long MODULE = 0xffff_ffff_c000_0000L;

    private static KernelSymbols symbols(String text) {
        try {
            return KernelSymbols.parse(new ByteArrayInputStream(text.getBytes(StandardCharsets.ISO_8859_1)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void frameHasANameAndNoAddress() {
        KernelFrames frames = new KernelFrames(() -> symbols("ffffffff81000000 T first\n"));
        Frame.Kernel frame = frames.frame(FIRST + 8);
        assertThat(frame).isEqualTo(new Frame.Kernel(0, "first")).isSameAs(frames.frame(FIRST + 8));
        assertThat(frames.frame(FIRST + 16)).isEqualTo(new Frame.Kernel(1, "first"));
    }

    @Test
    void moduleLoadedLaterIsNamedAtTheEnd() {
        KernelFrames frames = new KernelFrames(() -> symbols("ffffffff81000000 T first\n"));
        Frame.Kernel named = frames.frame(FIRST);
        Frame.Kernel unnamed = frames.frame(MODULE + 4);
        assertThat(unnamed.symbol()).isEmpty();
        KernelFrames.LaterNames later = frames.new LaterNames(() -> symbols("ffffffffc0000000 t in_module\t[ext4]\n"));
        assertThat(later.of(unnamed)).isEqualTo("in_module");
        assertThat(later.of(named)).isEmpty();
    }

    @Test
    void hiddenKernelAddressesGiveUnnamedFrames() {
        KernelFrames frames = new KernelFrames(KernelSymbols::none);
        Frame.Kernel frame = frames.frame(FIRST);
        assertThat(frame.symbol()).isEmpty();
        assertThat(frames.new LaterNames(() -> symbols("ffffffff81000000 T first\n")).of(frame))
                .isEmpty();
    }
}
