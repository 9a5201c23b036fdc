package mayfly.targets;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * {@code Steady [LOAD...]}: threads that notice when they are disturbed. Each does one kind of work over and over,
 * checks what comes of it, and counts. Loads, which stand in their way: {@code gc} collects garbage all the time,
 * {@code churn} starts short threads, {@code classes} makes class loaders and drops them, {@code chains} are threads
 * whose calls are known, see {@link Chains}.
 *
 * <p>Any line is answered with {@code wrong=N}, the NAME=COUNT of each, and of the first that was wrong what was.
 */
public final class Steady {

    private Steady() {
    }

    public static void main(String[] args) {
        List<String> loads = Arrays.asList(args);
        SteadyWork.startAll();
        SteadyWaits.startAll();
        SteadyTransfers.startAll();
        if (loads.contains("gc")) {
            Steps.start("gc", SteadyLoads::collect);
        }
        if (loads.contains("churn")) {
            Steps.start("churn", SteadyLoads::churn);
        }
        if (loads.contains("classes")) {
            StressClasses classes = new StressClasses();
            Steps.start("classes", n -> classes.round((int) n));
        }
        if (loads.contains("chains")) {
            Chains.startAll();
        }
        while (Steps.all().stream().anyMatch(steps -> steps.count() == 0)) {
            Thread.onSpinWait();
        }
        Talk.untilExit("steady", line -> "wrong=" + Steps.wrong() + Steps.all().stream()
                .map(steps -> " " + steps.name() + "=" + steps.count()).collect(Collectors.joining()) + Steps.first());
    }
}
