package mayfly.runtime;

/**
 * A range of addresses.
 *
 * @param start its first address
 * @param end the first address after it
 */
public record AddressRange(long start, long end) {}
