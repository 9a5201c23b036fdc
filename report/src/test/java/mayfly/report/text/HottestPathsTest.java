package mayfly.report.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import mayfly.report.RecordingBuilder;
import mayfly.report.tree.TopFrames;
import org.junit.jupiter.api.Test;

class HottestPathsTest {
    private static RecordingBuilder shop() throws IOException {
        return new RecordingBuilder()
                .stack("main", 30, "2 shop.Main.main", "2 shop.Main.serve", "2 shop.Order.sort", "2 shop.Order.compare")
                .stack("main", 25, "2 shop.Main.main", "2 shop.Main.serve", "2 shop.Order.parse")
                .stack("main", 22, "2 shop.Main.main", "2 shop.Main.serve", "2 shop.Order.archive")
                .stack("main", 15, "2 shop.Main.main", "2 shop.Main.serve", "2 shop.Order.sign")
                .stack("main", 8, "v CompileBroker::compiler_thread_loop");
    }

    @Test
    void pathContinuesBelowAForkWithATenthOfAllTime() throws IOException {
        List<HottestPaths.Step> path = HottestPaths.inJava(shop().profile(), 8).path();
        assertThat(path)
                .extracting(HottestPaths.Step::label)
                .containsExactly("shop.Main.main", "shop.Main.serve", "shop.Order.sort", "shop.Order.compare");
    }

    @Test
    void topRowsAreJavaMethodsWithTheirNativeTime() throws IOException {
        var recorded = new RecordingBuilder();
        recorded.stack("main", 70, "2 shop.Main.main", "w java.util.zip.Inflater.inflate", "n libz.so inflate")
                .stack("main", 20, "2 shop.Main.main", "v os::elapsed_counter()")
                .stack("GC", 10, "n libc.so.6 start_thread", "v GCTaskThread::run()");
        HottestPaths paths = HottestPaths.inJava(recorded.profile(), 8);
        assertThat(paths.top())
                .extracting(TopFrames.Row::label)
                .containsExactly("java.util.zip.Inflater.inflate", "shop.Main.main");
        assertThat(paths.path())
                .extracting(HottestPaths.Step::label)
                .containsExactly("shop.Main.main", "java.util.zip.Inflater.inflate");
        assertThat(paths.outsideJava() * 10).isEqualTo(paths.total());
    }

    @Test
    void pathEndsWhereItForksIntoSmallCallees() throws IOException {
        var recorded = new RecordingBuilder();
        for (int i = 0; i < 20; i++) {
            recorded.stack("main", 1, "2 shop.Main.main", "2 shop.Task.run" + i);
        }
        assertThat(HottestPaths.inJava(recorded.profile(), 8).path())
                .extracting(HottestPaths.Step::label)
                .containsExactly("shop.Main.main");
    }

    @Test
    void hottestPathsFitTheTerminal() throws IOException {
        HottestPaths paths = HottestPaths.inJava(shop().profile(), 8);
        for (int width : new int[] {40, 50, 80, 100}) {
            assertThat(paths.lines(width))
                    .as("%d columns", width)
                    .allMatch(line -> line.length() <= width)
                    .anyMatch(line -> line.contains("outside Java methods"));
        }
        assertThat(paths.lines(100)).anyMatch(line -> line.contains("such as its compilers"));
    }
}
