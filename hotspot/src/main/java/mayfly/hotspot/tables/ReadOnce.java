package mayfly.hotspot.tables;

import mayfly.process.MemoryFault;
import mayfly.runtime.thread.Unread;
import org.jspecify.annotations.Nullable;

/**
 * Data that are read from a VM at the first query and then retained. A reading that fails is repeated in a later epoch,
 * not at every query.
 */
public final class ReadOnce<T> {
    /** A reading of the data. */
    public interface Reading<T> {
        /**
         * Reads the data.
         *
         * @throws MemoryFault if the target's memory cannot be read
         * @throws BadMetadata if the data read is inconsistent
         * @throws Unreadable for another reason, which the exception has
         */
        T read() throws MemoryFault, BadMetadata, Unreadable;
    }

    private final Reading<T> reading;
    private @Nullable T data;
    private Unread reason = Unread.NOT_DESCRIBED;
    private long attemptedEpoch = Long.MIN_VALUE;

    public ReadOnce(Reading<T> reading) {
        this.reading = reading;
    }

    /** Returns the data if they have been read, without reading them; else null. */
    public @Nullable T known() {
        return data;
    }

    /**
     * Returns the data.
     *
     * @throws Unreadable if the last reading failed; the exception has the reason
     */
    public T get(long epoch) throws Unreadable {
        if (data != null) {
            return data;
        }
        if (attemptedEpoch != epoch) {
            attemptedEpoch = epoch;
            try {
                return data = reading.read();
            } catch (MemoryFault e) {
                reason = Unread.NOT_READABLE;
            } catch (BadMetadata e) {
                reason = Unread.IMPLAUSIBLE;
            } catch (Unreadable e) {
                reason = e.reason;
            }
        }
        throw new Unreadable(reason);
    }
}
