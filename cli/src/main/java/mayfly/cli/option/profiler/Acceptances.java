package mayfly.cli.option.profiler;

import java.util.EnumSet;
import java.util.Set;
import mayfly.attach.client.Acceptance;

/** The consequences of an attach that options accept. */
public final class Acceptances {
    private Acceptances() {}

    /**
     * Returns the accepted consequences.
     *
     * @param lastingCost true if {@code --accept-lasting-cost} was given
     * @param remainingClasses true if {@code --accept-remaining-classes} was given
     */
    public static Set<Acceptance> of(boolean lastingCost, boolean remainingClasses) {
        Set<Acceptance> accepted = EnumSet.noneOf(Acceptance.class);
        if (lastingCost) {
            accepted.add(Acceptance.LASTING_COST);
        }
        if (remainingClasses) {
            accepted.add(Acceptance.REMAINING_CLASSES);
        }
        return accepted;
    }
}
