package mayfly.record.event;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import mayfly.discovery.Doctor.Need;
import mayfly.discovery.Refusals;
import mayfly.discovery.Refused;
import mayfly.discovery.Refused.Reason;

/**
 * A source of samples as data. It is a constant of the class that implements the source.
 *
 * @param collector the word that selects it among the sources of an event
 * @param needs the permissions that the source needs; {@code doctor} checks each of them
 * @param cost its cost to the target
 * @param limits sentences for the ledger about what its samples can never show
 * @param opener opens it
 */
public record SourceKind(Collector collector, Set<Need> needs, SourceCost cost, List<String> limits, Opener opener) {

    /** Opens a source. */
    @FunctionalInterface
    public interface Opener {
        /**
         * Opens a source, which is not enabled yet.
         *
         * @param kind the row that contains this opener
         * @throws Refused if the source is not permitted or not possible here
         * @throws IOException if the kernel's settings or the target cannot be read
         */
        EventSource open(SourceRequest request, SourceKind kind) throws Refused, IOException;
    }

    /** @throws IllegalArgumentException for {@link Collector#AUTO}, which is a choice and not a source */
    public SourceKind {
        needs = Set.copyOf(needs);
        limits = List.copyOf(limits);
        if (collector == Collector.AUTO) {
            throw new IllegalArgumentException("a source named " + collector);
        }
    }

    EventSource open(SourceRequest request) throws Refused {
        try {
            return opener.open(request, this);
        } catch (IOException e) {
            throw new Refused(Reason.UNSUPPORTED_KERNEL, Refusals.text(e), "");
        }
    }
}
