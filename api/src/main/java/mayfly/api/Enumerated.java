package mayfly.api;

import java.util.List;

/**
 * A snapshot at one moment. The events are enabled before the first enumeration is permitted. The snapshot and the
 * events together therefore report every item; both may report the same item.
 *
 * @param <T> ids, or descriptions
 * @param at the time of the snapshot; events with a greater sequence are more recent than the snapshot
 * @param items the items, unordered
 */
public record Enumerated<T>(Stamp at, List<T> items) {}
