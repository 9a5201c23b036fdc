package mayfly.host.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import mayfly.api.Stamp;
import mayfly.api.ThreadId;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LoggedThreadsTest implements LoggedThreads.Source, LoggedThreads.Receiver {
    private final Map<Thread, Long> jvm = new LinkedHashMap<>();
    private final Map<Thread, ThreadId> ids = new LinkedHashMap<>();
    private final List<String> reported = new ArrayList<>();
    private final LoggedThreads threads = new LoggedThreads(this, this);
    /** The look, counted from 1, at which the JVM's list has the thread that starts. */
    private int addedAt = 1;

    private int looks;
    private long late;

    @Override
    public Thread[] live() {
        if (++looks == addedAt && late != 0) {
            run(late);
        }
        return jvm.keySet().toArray(new Thread[0]);
    }

    @Override
    public long[] numbers(Thread[] all) {
        long[] numbers = new long[all.length];
        for (int i = 0; i < all.length; i++) {
            numbers[i] = jvm.get(all[i]);
        }
        return numbers;
    }

    @Override
    public ThreadId id(Thread thread) {
        return ids.computeIfAbsent(thread, each -> new ThreadId(1, 100 + ids.size()));
    }

    @Override
    public void created(Stamp at, ThreadId thread, @Nullable ThreadId creator) {
        reported.add(
                "created " + thread.value() + (creator == null ? "" : " by " + creator.value()) + " at " + at.nanos());
    }

    @Override
    public void destroyed(Stamp at, ThreadId thread) {
        reported.add("destroyed " + thread.value() + " at " + at.nanos());
    }

    @Override
    public void lost() {
        reported.add("lost");
    }

    private Thread run(long number) {
        Thread thread = new Thread();
        jvm.put(thread, number);
        return thread;
    }

    private void starts(long number, long at) {
        starts(number, at, 0);
    }

    private void starts(long number, long at, long creation) {
        String line = "Thread is alive (tid: " + number + ", pthread id: 1).";
        assertThat(threads.read(line, new Stamp(at, at), number, creation)).isTrue();
    }

    private void creates(long creator, long creation) {
        String line = "Thread \"Unknown thread\" started (pthread id: 1, attributes: stacksize: 1024k).";
        assertThat(threads.read(line, new Stamp(1, 1), creator, creation)).isTrue();
    }

    private void ends(long number, long at) {
        assertThat(threads.read("JavaThread exiting (name: \"t\", tid: " + number + ").", new Stamp(at, at), number, 0))
                .isTrue();
    }

    @Test
    void threadThatIsFoundHasTheTimesOfItsLines() {
        threads.begin();
        starts(7, 10);
        Thread thread = run(7);
        assertThat(threads.look()).isZero();
        jvm.remove(thread);
        ends(7, 20);
        assertThat(reported).containsExactly("created 100 at 10", "destroyed 100 at 20");
    }

    @Test
    void threadThatTheJvmHasNotListedYetIsFoundByALaterLook() {
        threads.begin();
        starts(7, 10);
        late = 7;
        addedAt = 3;
        assertThat(threads.look()).isZero();
        assertThat(reported).containsExactly("created 100 at 10");
        starts(8, 30);
        late = 8;
        addedAt = looks + 5;
        assertThat(threads.look()).isEqualTo(10_000_000);
        assertThat(threads.look()).isZero();
        assertThat(reported).containsExactly("created 100 at 10", "created 101 at 30");
    }

    @Test
    void threadThatNeverAppearsIsAwaitedForALimitedTime() {
        threads.begin();
        starts(7, 10);
        assertThat(List.of(threads.look(), threads.look(), threads.look(), threads.look()))
                .containsExactly(10_000_000L, 100_000_000L, 1_000_000_000L, 10_000_000_000L);
        assertThat(threads.look()).isZero();
        assertThat(reported).isEmpty();
    }

    @Test
    void threadThatEndsBeforeItIsFoundIsLost() {
        threads.begin();
        starts(7, 10);
        ends(7, 11);
        assertThat(threads.look()).isZero();
        assertThat(reported).containsExactly("lost");
    }

    @Test
    void threadThatRanBeforeHasAnEndOnly() {
        Thread thread = run(5);
        threads.begin();
        jvm.remove(thread);
        ends(5, 20);
        ends(6, 21);
        assertThat(reported).containsExactly("destroyed 100 at 20");
    }

    @Test
    void numberThatIsUsedAgainBelongsToTheNewThread() {
        run(5);
        threads.begin();
        starts(5, 10);
        jvm.clear();
        run(5);
        assertThat(threads.look()).isZero();
        ends(5, 20);
        assertThat(reported).containsExactly("created 101 at 10", "destroyed 101 at 20");
    }

    @Test
    void threadHasTheOneThatCreatedIt() {
        run(5);
        threads.begin();
        creates(5, 1);
        starts(7, 10, 1);
        run(7);
        assertThat(threads.look()).isZero();
        creates(7, 2);
        starts(8, 20, 2);
        run(8);
        assertThat(threads.look()).isZero();
        assertThat(reported).containsExactly("created 101 by 100 at 10", "created 102 by 101 at 20");
    }

    @Test
    void creatorThatHasNotBeenFoundYetIsReportedIfItIsFoundFirst() {
        threads.begin();
        starts(7, 10);
        creates(7, 2);
        starts(8, 20, 2);
        run(7);
        run(8);
        assertThat(threads.look()).isZero();
        assertThat(reported).containsExactly("created 100 at 10", "created 101 by 100 at 20");
    }

    @Test
    void creatorThatEndsBeforeTheThreadStartsIsNotTheOneThatHasItsNumberLater() {
        Thread creator = run(5);
        threads.begin();
        creates(5, 1);
        jvm.remove(creator);
        ends(5, 8);
        starts(5, 9);
        starts(7, 10, 1);
        run(5);
        run(7);
        assertThat(threads.look()).isZero();
        assertThat(reported).containsExactly("destroyed 100 at 8", "created 101 at 9", "created 102 by 100 at 10");
    }

    @Test
    void threadHasNoCreatorIfThatIsAThreadOfTheJvmOrItsLineWasLost() {
        threads.begin();
        creates(99, 1);
        starts(7, 10, 1);
        starts(8, 20, 2);
        run(7);
        run(8);
        assertThat(threads.look()).isZero();
        assertThat(reported).containsExactly("created 100 at 10", "created 101 at 20");
    }

    @Test
    void otherLineIsNotUnderstood() {
        assertThat(threads.read("Thread finished (tid: 1)", new Stamp(1, 1), 1, 0))
                .isFalse();
    }
}
