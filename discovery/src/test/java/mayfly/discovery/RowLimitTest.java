package mayfly.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import mayfly.discovery.ProcessList.RowLimit;
import org.junit.jupiter.api.Test;

/** The number of rows of {@link ProcessList}. */
class RowLimitTest {
    private static List<String> report(RowLimit limit) {
        List<String> problems = new ArrayList<>();
        limit.report(UserNames.read(), problems::add);
        return problems;
    }

    private static boolean isAdded(RowLimit limit, int user) {
        boolean room = limit.hasRoom(user);
        if (room) {
            limit.add(user);
        }
        return room;
    }

    @Test
    void userWithManyRuntimesDoesNotDisplaceOthers() {
        RowLimit limit = new RowLimit(2, 100);
        assertThat(isAdded(limit, 4711) && isAdded(limit, 4711)).isTrue();
        assertThat(report(limit)).isEmpty();
        for (int i = 0; i < 3; i++) {
            assertThat(isAdded(limit, 4711)).isFalse();
        }
        assertThat(isAdded(limit, 4712)).isTrue();
        assertThat(report(limit))
                .containsExactly("3 processes of user 4711 were not read: a list has at most 2 runtimes of one user");
    }

    @Test
    void rowsInAllAreBoundedAndTheRestIsReported() {
        RowLimit limit = new RowLimit(2, 2);
        assertThat(isAdded(limit, 1) && isAdded(limit, 2)).isTrue();
        assertThat(isAdded(limit, 3)).isFalse();
        assertThat(report(limit)).containsExactly("1 processes were not read: a list has at most 2 runtimes");
    }

    @Test
    void processWithoutARuntimeTakesNoRoom() {
        RowLimit limit = new RowLimit(1, 1);
        assertThat(limit.hasRoom(1) && limit.hasRoom(1)).isTrue();
        assertThat(report(limit)).isEmpty();
    }
}
