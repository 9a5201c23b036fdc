package mayfly.attach.listener;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A JVM does not start if its library is on a mount that forbids execution. */
class MountsTest {

    @Test
    void theMountNearestToAPathCounts() {
        List<String> mounts = List.of(
                "/dev/sda1 / ext4 rw,relatime 0 0",
                "tmpfs /tmp tmpfs rw,nosuid,noexec 0 0",
                "tmpfs /tmp/my\\040own tmpfs rw 0 0",
                "torn");
        assertThat(Mounts.mayLoadFrom(Path.of("/var/tmp"), mounts)).isTrue();
        assertThat(Mounts.mayLoadFrom(Path.of("/tmp"), mounts)).isFalse();
        assertThat(Mounts.mayLoadFrom(Path.of("/tmp/other"), mounts)).isFalse();
        assertThat(Mounts.mayLoadFrom(Path.of("/tmpfs"), mounts)).isTrue();
        assertThat(Mounts.mayLoadFrom(Path.of("/tmp/my own/folder"), mounts)).isTrue();
    }

    @Test
    void invalidMountPointIsIgnored() {
        List<String> mounts = List.of("a / ext4 rw 0 0", "b /tmp/\u0000\ufffd tmpfs noexec 0 0", "c  tmpfs noexec 0 0");
        assertThat(Mounts.mayLoadFrom(Path.of("/tmp/x"), mounts)).isTrue();
        assertThat(Mounts.mayLoadFrom(Path.of("/"), mounts)).isTrue();
    }

    @Test
    void escapedMountPointIsDecoded() {
        List<String> mounts =
                List.of("a / ext4 rw 0 0", "b /a\\134040b tmpfs noexec 0 0", "c /t\\011\\012 tmpfs noexec 0 0");
        assertThat(Mounts.mayLoadFrom(Path.of("/a\\040b/x"), mounts)).isFalse();
        assertThat(Mounts.mayLoadFrom(Path.of("/a b/x"), mounts)).isTrue();
        assertThat(Mounts.mayLoadFrom(Path.of("/t\t\n"), mounts)).isFalse();
    }

    /** A mount hides all files below its mount point. */
    @Test
    void lastMountAtAMountPointDecides() {
        List<String> mounts = List.of("a / ext4 rw 0 0", "b /tmp tmpfs noexec 0 0", "c /tmp tmpfs rw 0 0");
        assertThat(Mounts.mayLoadFrom(Path.of("/tmp"), mounts)).isTrue();
    }
}
