package mayfly.api;

import java.util.List;

/**
 * What there was at one moment. Together with the events, which are on before the first enumeration can be asked for, it
 * leaves no gap; the same thing may be told by both.
 *
 * @param <T> ids, or descriptions
 * @param at when it was taken; events with a greater sequence outrank it
 * @param items in no order
 */
public record Enumerated<T>(Stamp at, List<T> items) {
}
