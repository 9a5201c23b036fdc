package mayfly.audit;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The causes that may have added new items and that are present in both audits. A new item that such a cause may have
 * added is not a leftover of a profiler that was attached between the audits.
 */
final class KnownCauses {
    /** The rules for items that an agent can add at any time. A new library or a new environment is another agent's. */
    private static final List<Rule> OF_AGENTS =
            List.of(Rule.ASYNC_PROFILER_THREAD, Rule.JAVA_AGENT_CLASS, Rule.BOOT_CLASS, Rule.TRANSFORMED, Rule.SIGNAL);

    private final Map<Rule, Rule> instead = new EnumMap<>(Rule.class);

    private KnownCauses() {}

    static KnownCauses of(Audit before, Audit after) {
        KnownCauses known = new KnownCauses();
        if (Rule.BOOT_CLASS.isInBoth(before, after)) {
            known.instead.put(Rule.BOOT_CLASS, Rule.FURTHER_BOOT_CLASS);
        }
        if (after.hasFlightRecorder()) {
            known.instead.put(Rule.TRANSFORMED, Rule.BY_FLIGHT_RECORDER);
        }
        if (Rule.AGENT.isInBoth(before, after) || Rule.ENVIRONMENT.isInBoth(before, after)) {
            OF_AGENTS.forEach(rule -> known.instead.put(rule, Rule.BY_KNOWN_AGENT));
        }
        return known;
    }

    /** Returns the rule for a new item of which this rule is the first match. */
    Rule ruleInsteadOf(Rule rule) {
        return instead.getOrDefault(rule, rule);
    }
}
