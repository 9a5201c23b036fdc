package mayfly.runtime.collection;

/**
 * The latest pause of one collector, such as HotSpot's for the young generation.
 *
 * @param collector the runtime's name of the collector, such as {@code G1 young collection pauses}: untrusted text
 * @param kind the kind of its pauses
 * @param number the number of its pauses so far, with one that has not ended
 * @param total the time of all its pauses that have ended, ns; shortly after an end, without the latest one
 * @param begun the begin, in the runtime's clock, ns; 0 if there was no pause so far
 * @param ended the end, in the runtime's clock, ns; 0 before
 * @param cause the reason for the collection, such as {@code System.gc()}: untrusted text; empty if the runtime gives
 *     none for pauses of this collector; {@link #UNKNOWN} if it gives one that was not read
 */
public record Collection(String collector, Kind kind, long number, long total, long begun, long ended, String cause) {
    /** The cause of a pause whose cause could not be read. */
    public static final String UNKNOWN = "cause unknown";

    /** The part of the heap that is collected, or the pause's part in a collection. */
    public enum Kind {
        /** The pause collects the young generation, perhaps with a part of the old one. */
        YOUNG("young"),
        /** It collects the whole heap. */
        FULL("full"),
        /** It is a part of a collection of the young generation that otherwise runs beside the program. */
        MINOR("minor"),
        /** It is a part of a collection of the whole heap that otherwise runs beside the program. */
        MAJOR("major"),
        /** It is a part of a collection that otherwise runs beside the program. */
        CONCURRENT("concurrent"),
        /** The collector is not known. */
        OTHER("other");

        private final String word;

        Kind(String word) {
            this.word = word;
        }

        /** Returns the word for it in captures. It never changes. */
        public String word() {
            return word;
        }
    }

    /** Returns the same pause with another cause. */
    public Collection withCause(String other) {
        return new Collection(collector, kind, number, total, begun, ended, other);
    }

    /** Returns true if the pause has begun and not ended. */
    public boolean isInProgress() {
        return begun != 0 && ended == 0;
    }

    /** Returns true if the cause is known, or if there is none. */
    public boolean hasKnownCause() {
        return !cause.equals(UNKNOWN);
    }
}
