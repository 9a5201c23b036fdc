package mayfly.api;

import java.util.List;

/**
 * A snapshot at one moment. Together with the events, which are enabled before the first enumeration is permitted, it
 * leaves no gap; an item may be reported by both.
 *
 * @param <T> ids, or descriptions
 * @param at the time of the snapshot; events with a greater sequence are more recent than the snapshot
 * @param items the items, unordered
 */
public record Enumerated<T>(Stamp at, List<T> items) {
}
