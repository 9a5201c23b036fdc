package mayfly.linux.proc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import mayfly.linux.BlockedSyscall;
import mayfly.linux.LiveProcess;
import mayfly.process.Mapping;
import org.junit.jupiter.api.Test;

/** Texts of /proc, including invalid ones. */
class ProcTextTest {

    @Test
    void mapsAreParsed() throws IOException {
        List<Mapping> maps = Maps.parse("""
            55f24c18b000-55f24c18c000 r-xp 00001000 fe:00 328747                     /opt/a program (deleted)
            7ffd1b5e0000-7ffd1b601000 rw-p 00000000 00:00 0                          [stack]
            7f88d6000000-7f88d6021000 rw-p 00000000 00:00 0\s
            ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]
            """);
        assertThat(maps)
                .containsExactly(
                        new Mapping(
                                0x55f24c18b000L,
                                0x55f24c18c000L,
                                true,
                                false,
                                true,
                                0x1000,
                                "fe:00",
                                328747,
                                "/opt/a program (deleted)"),
                        new Mapping(0x7ffd1b5e0000L, 0x7ffd1b601000L, true, true, false, 0, "00:00", 0, "[stack]"),
                        new Mapping(0x7f88d6000000L, 0x7f88d6021000L, true, true, false, 0, "00:00", 0, ""));
    }

    @Test
    void malformedMapsLinesAreSkipped() throws IOException {
        assertThat(Maps.parse("\n-\n1-2\n1-2 r\n1-2 rwxp 0 0 \nzz-2 rwxp 0 00:00 0\n3-2 rwxp 0 00:00 0 x\n"
                        + "1-2 rw 00 00:00 5 /x\n"))
                .isEmpty();
    }

    @Test
    void mapsAboveTheHardLimitAreRefused() {
        String many = "1000-2000 r--p 00000000 fe:00 5 /x\n".repeat((1 << 18) + 1);
        assertThatThrownBy(() -> Maps.parse(many))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("262144 mappings");
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 3000; i++) {
            text.append("1000-2000 r--p 00000000 fe:00 5 /")
                    .append(i)
                    .append("x".repeat(3800))
                    .append('\n');
        }
        assertThatThrownBy(() -> Maps.parse(text.toString()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("8 MiB");
        assertThatThrownBy(() -> Maps.parse("x".repeat(30_000)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("a line of more than");
    }

    @Test
    void mapsAboveTheLimitOfTheCallerAreNotRead() throws IOException {
        List<Mapping> seen = new ArrayList<>();
        assertThatThrownBy(() -> Maps.forEach("/proc/self/maps", 100, seen::add))
                .isInstanceOf(ProcFileTooLarge.class);
        assertThat(seen).isEmpty();
        Maps.forEach("/proc/self/maps", 1 << 20, seen::add);
        assertThat(seen).isNotEmpty();
    }

    @Test
    void equalMappingPathsShareOneString() throws IOException {
        List<Mapping> maps = Maps.parse("1000-2000 r--p 00000000 fe:00 5 /x\n2000-3000 r-xp 00000000 fe:00 5 /x");
        assertThat(maps).hasSize(2);
        assertThat(maps.getFirst().path()).isSameAs(maps.getLast().path());
    }

    @Test
    void statWithParenthesesInTheNameIsParsed() {
        String line =
                "42 (a) R (b)) S 1 42 42 0 -1 4194304 1 2 3 4 17 5 0 0 20 0 3 0 98765 1000 5 18446744073709551615";
        Stat stat = Stat.parse(line);
        assertThat(stat).isEqualTo(new Stat(42, "a) R (b)", 'S', 1, 4194304, 17, 5, 98765));
        assertThat(Stat.parse("42 (x) S 1 2")).isNull();
        assertThat(Stat.stackStart(line + " 1 2 140736547397680 0 0")).isEqualTo(140736547397680L);
        assertThat(Stat.stackStart(line)).isZero();
        assertThat(Stat.stackStart("")).isZero();
        assertThat(Stat.state(line)).isEqualTo(stat.state());
        assertThat(Stat.state("42 (a) b) D 1")).isEqualTo('D');
        assertThat(Stat.state("42 (x) ")).isEqualTo('?');
        assertThat(Stat.state("")).isEqualTo('?');
        assertThat(Stat.parse(")(")).isNull();
        assertThat(Stat.parse("")).isNull();
    }

    @Test
    void statusIsParsed() {
        ProcStatus status = ProcStatus.parse("Name:\tjava\nState:\tt (tracing stop)\nSeccomp:\t2\n"
                + "Tgid:\t500\nTracerPid:\t7\nUid:\t1\t2\t3\t4\nGid:\t5\t6\t7\t8\n"
                + "NSpid:\t500\t12\nThreads:\t9\nCapEff:\t000001fffeffffff\n"
                + "SigBlk:\t0000000000000004\nSigIgn:\t0000000000001000\nSigCgt:\t2000000181005ccf\n");
        assertThat(status)
                .isEqualTo(new ProcStatus(
                        "java",
                        't',
                        500,
                        7,
                        1,
                        2,
                        6,
                        9,
                        List.of(500, 12),
                        0x1fffeffffffL,
                        4,
                        0x1000,
                        0x2000000181005ccfL,
                        2));
        assertThat(status.catches(3)).isTrue();
        assertThat(status.catches(5)).isFalse();
        assertThat(ProcStatus.parse("").euid()).isEqualTo(-1);
    }

    @Test
    void statusWithMalformedFieldsHasTheValuesOfMissingOnes() {
        ProcStatus missing = ProcStatus.parse("");
        assertThat(missing).isEqualTo(new ProcStatus("", '?', 0, 0, -1, -1, -1, 0, List.of(), 0, 0, 0, 0, 0));
        assertThat(ProcStatus.parse("State:\nTgid:\tx\nTracerPid:\t-1\nUid:\t1 x\nGid\nNSpid:\nCapEff:\tg\nSigBlk:\t"))
                .isEqualTo(new ProcStatus("", '?', 0, 0, 1, -1, -1, 0, List.of(), 0, 0, 0, 0, 0));
        assertThat(ProcStatus.parse("NSpid:" + "\t7".repeat(1000)).namespacePids())
                .hasSize(64);
    }

    @Test
    void statusFieldIsReadFromTheFirstLineWithItsKey() {
        ProcStatus status = ProcStatus.parse("Name:\tTgid: 9\nXTgid:\t8\nTgid:\t7\nTgid:\t6\nTracerPid:\t5");
        assertThat(status.name()).isEqualTo("Tgid: 9");
        assertThat(status.processId()).isEqualTo(7);
        assertThat(status.tracerPid()).isEqualTo(5);
        assertThat(ProcStatus.tracerOf("Name:\tTracerPid:\nTracerPid:\t5\n")).isEqualTo(5);
        assertThat(ProcStatus.tracerOf("Name:\tjava\nTracerPid:\t0\n")).isZero();
    }

    @Test
    void socketsAreFoundByInode() {
        SocketTable table = new SocketTable(Set.of(7L, 8L, 9L, 20L, 21L, 22L, 23L));
        """
        Num       RefCount Protocol Flags    Type St Inode Path
        0000000000000000: 00000002 00000000 00010000 0001 01 7 /tmp/a b
        0000000000000000: 00000002 00000000 00000000 0001 03 8
        0000000000000000: 00000002 00000000 00000000 0001 03 9 @abstract
        0000000000000000: 00000002 00000000 00000000 0001 03 10 /tmp/of-others
        zz
        0000000000000000: 00000002 00000000 oo 0001 03 11 /x
        """.lines().forEach(table::addUnix);
        """
          sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
           0: 0100007F:0277 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 20 1 0
           1: 0100007F:1F90 0200000A:01BB 01 00000000:00000000 00:00000000 00000000     0        0 21 1 0
           2: 0100007F 0200000A:01BB 01 00000000:00000000 00:00000000 00000000     0        0 22 1 0
        """.lines().forEach(line -> table.addInternet("tcp", line));
        """
          sl  local_address                         remote_address                        st tx rx
           0: B80D0120000000000000000001000000:0016 00000000000000000000000000000000:0000 0A 0:0 0:0 0 0 0 23 1
        """.lines().forEach(line -> table.addInternet("tcp6", line));
        assertThat(table.found())
                .containsOnly(
                        Map.entry(7L, "unix /tmp/a b listening"),
                        Map.entry(8L, "unix (unnamed)"),
                        Map.entry(9L, "unix @abstract"),
                        Map.entry(20L, "tcp 127.0.0.1:631 listening"),
                        Map.entry(21L, "tcp 127.0.0.1:8080 to 10.0.0.2:443"),
                        Map.entry(23L, "tcp6 [2001:db8:0:0:0:0:0:1]:22 listening"));
    }

    @Test
    void blockedCallsAreParsed() {
        assertThat(BlockedSyscall.parse("232 0x4 0x7f 0x1 0xffffffff 0x0 0x0 0x7ffe00 0x7f11"))
                .isEqualTo(new BlockedSyscall(232, 4, 0x7ffe00, 0x7f11));
        assertThat(BlockedSyscall.parse("-1 0x7ffe00 0x7f11")).isEqualTo(new BlockedSyscall(-1, -1, 0x7ffe00, 0x7f11));
        assertThat(BlockedSyscall.parse("0 0xffffffff 0x7f 0x1 0xffffffff 0x0 0x0 0x7ffe00 0x7f11"))
                .isEqualTo(new BlockedSyscall(0, -1, 0x7ffe00, 0x7f11));
        assertThat(BlockedSyscall.parse("running")).isNull();
        assertThat(BlockedSyscall.parse("1 0x 2")).isNull();
    }

    @Test
    void stopDisturbsWritesThatMayBePartlyDone() throws Exception {
        try (LiveProcess own = LiveProcess.open((int) ProcessHandle.current().pid())) {
            for (int call : new int[] {1, 18, 20, 296, 328}) { // write, pwrite64, writev, pwritev, pwritev2
                assertThat(new BlockedSyscall(call, 1, 0, 0).isDisturbedByStop(own))
                        .as("call %d", call)
                        .isTrue();
            }
            assertThat(new BlockedSyscall(202, 1, 0, 0).isDisturbedByStop(own))
                    .as("futex")
                    .isFalse();
        }
    }

    @Test
    void blockedCallsHaveTheObjectForWhichTheyWait() throws Exception {
        try (LiveProcess own = LiveProcess.open((int) ProcessHandle.current().pid());
                ServerSocket socket = new ServerSocket(0);
                InputStream file = new FileInputStream("/proc/self/maps")) {
            assertThat(socket.isBound()).isTrue();
            assertThat(file.read()).isNotNegative();
            assertThat(new BlockedSyscall(202, 1, 0, 0).kind(own)).isEqualTo(BlockedSyscall.Kind.FUTEX);
            assertThat(new BlockedSyscall(35, 1, 0, 0).kind(own)).isEqualTo(BlockedSyscall.Kind.SLEEP);
            assertThat(new BlockedSyscall(7, 1, 0, 0).kind(own)).isEqualTo(BlockedSyscall.Kind.SOCKET);
            assertThat(new BlockedSyscall(-1, -1, 0, 0).kind(own)).isEqualTo(BlockedSyscall.Kind.PAGE);
            assertThat(new BlockedSyscall(61, 1, 0, 0).kind(own)).as("wait4").isEqualTo(BlockedSyscall.Kind.OTHER);
            Map<String, Set<BlockedSyscall.Kind>> reads = new HashMap<>();
            for (Path fd : Files.list(Path.of("/proc/self/fd")).toList()) {
                String link = Files.exists(fd) ? Files.readSymbolicLink(fd).toString() : "";
                int number = Integer.parseInt(fd.getFileName().toString());
                reads.computeIfAbsent(link.replaceFirst(":.*", ""), unseen -> new HashSet<>())
                        .add(new BlockedSyscall(0, number, 0, 0).kind(own));
            }
            assertThat(reads.get("socket")).containsExactly(BlockedSyscall.Kind.SOCKET);
            assertThat(reads.get("/proc/" + own.pid() + "/maps")).containsExactly(BlockedSyscall.Kind.FILE);
        }
    }

    /** A driver may return EINTR from ioctl(2), as KVM_RUN does. */
    @Test
    void stopDisturbsIoctl() throws Exception {
        try (LiveProcess own = LiveProcess.open((int) ProcessHandle.current().pid())) {
            assertThat(new BlockedSyscall(16, 1, 0, 0).isDisturbedByStop(own)).isTrue();
        }
    }

    @Test
    void mapsReadFromAStreamEqualMapsParsedFromText() throws Exception {
        String text = "1000-2000 r-xp 00000000 fe:00 7 /a\n2000-3000 rw-p 00000000 00:00 0 \n";
        assertThat(Maps.read(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), "text"))
                .hasSize(2)
                .isEqualTo(Maps.parse(text));
    }

    @Test
    void cpuListsAreParsed() {
        assertThat(OnlineCpus.parse("0-2,5,7-8\n")).containsExactly(0, 1, 2, 5, 7, 8);
        assertThat(OnlineCpus.parse("x,-,1-99999999")).hasSize(8192);
    }

    @Test
    void cpusOfProcStatAreParsedWithoutTheirSum() throws Exception {
        assertThat(OnlineCpus.parseStat("cpu  9 9\ncpu0 4 4\ncpu12 5 5\nintr 3 cpu7 \ncpux 1\ncpu99999 1\n"))
                .containsExactly(0, 12);
        assertThat(OnlineCpus.parseStat(Files.readString(Path.of("/proc/stat"))))
                .isNotEmpty();
    }

    @Test
    void kernelSymbolIsFoundByFloorAddress() throws Exception {
        KernelSymbols symbols = symbols("""
            ffffffff81000100 t second
            ffffffff81000000 T first
            ffffffff81000080 D data
            ffffffffc0000000 t in_module\t[ext4]
            0000000000000000 T hidden
            nonsense
            """);
        assertThat(symbols.find(0xffffffff810000ffL)).isEqualTo("first");
        assertThat(symbols.find(0xffffffff81000100L)).isEqualTo("second");
        assertThat(symbols.find(0xffffffffc0000010L)).isEqualTo("in_module");
        assertThat(symbols.find(0xffffffff90000000L)).isNull();
        assertThat(symbols.find(0x1000)).isNull();
    }

    private static KernelSymbols symbols(String text) throws IOException {
        return KernelSymbols.parse(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void kernelSymbolsOfALongTextAreAllFound() throws Exception {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 100_000; i++) {
            text.append("%016x t function_%d_%s\n".formatted(0xffffffff81000000L + 16L * i, i, "x".repeat(i % 40)));
        }
        KernelSymbols symbols = symbols(text.substring(0, text.length() - 1));
        for (int i = 0; i < 100_000; i++) {
            assertThat(symbols.find(0xffffffff81000008L + 16L * i)).isEqualTo("function_%d_%s", i, "x".repeat(i % 40));
        }
    }

    @Test
    void kernelWithHiddenAddressesHasNoSymbols() throws Exception {
        assertThat(symbols("0000000000000000 T hidden\nffffffff81000000 T first\n")
                        .isEmpty())
                .isTrue();
        assertThat(symbols("").isEmpty()).isTrue();
    }

    @Test
    void lineOfTheKernelsSymbolsThatIsTooLongIsRefused() {
        assertThatThrownBy(() -> symbols("ffffffff81000000 t " + "x".repeat(1 << 16)))
                .isInstanceOf(IOException.class);
    }
}
