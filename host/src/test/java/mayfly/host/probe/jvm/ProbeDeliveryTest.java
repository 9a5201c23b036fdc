package mayfly.host.probe.jvm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import mayfly.api.ClassId;
import mayfly.api.Profiler;
import mayfly.api.code.MethodId;
import org.junit.jupiter.api.Test;

/** Reports of calls: the thread, nested calls, exceptions and the calls that have not returned. */
class ProbeDeliveryTest {
    private static final MethodId METHOD = new MethodId(new ClassId(1, 2), 3);
    private static final MethodId OTHER = new MethodId(new ClassId(1, 2), 4);

    private final List<String> reported = new ArrayList<>();
    private final ScriptedJvm jvm = new ScriptedJvm();
    private final ProbeDelivery delivery = new ProbeDelivery(
            new Profiler() {
                @Override
                public void methodEntered(MethodId method) {
                    reported.add(
                            "+" + method.number() + " " + Thread.currentThread().getName());
                    assertThat(delivery().isRunning()).isTrue();
                    delivery().entered(OTHER);
                    delivery().left(OTHER, false);
                }

                @Override
                public void methodLeft(MethodId method, boolean thrown) {
                    reported.add("-" + method.number() + " " + thrown);
                    throw new IllegalStateException();
                }
            },
            jvm);

    private ProbeDelivery delivery() {
        return delivery;
    }

    @Test
    void callsAreReportedOnTheirThreadAndThoseOfACallbackAreNot() throws Exception {
        Thread thread = new Thread(() -> delivery.entered(METHOD), "caller");
        thread.start();
        thread.join();
        delivery.left(METHOD, true);
        assertThat(reported).containsExactly("+3 caller", "-3 true");
        assertThat(delivery.isRunning()).isFalse();
    }

    @Test
    void exceptionsOfTheProfilerAreCountedAndDropped() {
        delivery.left(METHOD, false);
        delivery.left(METHOD, false);
        assertThat(jvm.thrown).isEqualTo(2);
        assertThat(reported).containsExactly("-3 false", "-3 false");
        assertThat(delivery.isRunning()).isFalse();
    }

    @Test
    void nothingIsReportedOnceADetachHasBegun() {
        jvm.delivers = false;
        delivery.entered(METHOD);
        delivery.left(METHOD, false);
        assertThat(reported).isEmpty();
    }

    @Test
    void callsOfAnyOtherCallbackAreNotReported() {
        assertThat(delivery.enterCallback()).isTrue();
        assertThat(delivery.enterCallback()).isFalse();
        delivery.left(METHOD, false);
        assertThat(reported).isEmpty();
        delivery.leaveCallback();
        delivery.left(METHOD, false);
        assertThat(reported).containsExactly("-3 false");
    }

    @Test
    void eachOfManyThreadsHasACounter() throws Exception {
        for (int i = 0; i < 200; i++) {
            Thread thread = new Thread(() -> delivery.left(METHOD, false));
            thread.start();
            thread.join();
        }
        assertThat(reported).hasSize(200);
        assertThat(delivery.isRunning()).isFalse();
    }
}
