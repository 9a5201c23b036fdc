package mayfly.targets;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * {@code SelfCheckingLoad [LOAD...]}: threads that detect disturbances. Each repeats one kind of work, checks its
 * results, and
 * counts. Additional loads interfere with them: {@code gc} collects garbage continuously, {@code churn} starts short
 * threads, {@code classes} creates class loaders and drops them, {@code chains} are threads with known calls, see
 * {@link Chains}.
 *
 * <p>It answers any line with {@code wrong=N}, the NAME=COUNT of each thread, and the description of the first error.
 */
public final class SelfCheckingLoad {

    private SelfCheckingLoad() {}

    public static void main(String[] args) {
        List<String> loads = Arrays.asList(args);
        SelfCheckingWork.startAll();
        SelfCheckingWaits.startAll();
        SelfCheckingTransfers.startAll();
        if (loads.contains("gc")) {
            CheckedStep.start("gc", SelfCheckingDisturbances::collect);
        }
        if (loads.contains("churn")) {
            CheckedStep.start("churn", SelfCheckingDisturbances::churn);
        }
        if (loads.contains("classes")) {
            StressClasses classes = new StressClasses();
            CheckedStep.start("classes", n -> classes.round((int) n));
        }
        if (loads.contains("chains")) {
            Chains.startAll();
        }
        while (CheckedStep.all().stream().anyMatch(steps -> steps.count() == 0)) {
            Thread.onSpinWait();
        }
        LineProtocol.untilExit(
                "self-checking load",
                line -> "wrong=" + CheckedStep.wrong()
                        + CheckedStep.all().stream()
                                .map(steps -> " " + steps.name() + "=" + steps.count())
                                .collect(Collectors.joining())
                        + CheckedStep.first());
    }
}
