package mayfly.hotspot.counters;

/**
 * The place of a text in the target, which is read as aligned words.
 *
 * @param address the address of its first byte
 * @param length the number of its bytes, including those after the zero that ends it
 */
record TextPlace(long address, int length) {
    static final TextPlace NONE = new TextPlace(0, 0);

    /** Returns the number of words that contain it. */
    int words() {
        return (int) ((address & 7) + length + 7 >> 3);
    }

    /** Adds the addresses of its words. */
    void addTo(long[] addresses, int from) {
        for (int i = 0; i < words(); i++) {
            addresses[from + i] = (address & -8) + 8L * i;
        }
    }

    /** Returns the text up to the first zero, as Latin-1, from its words. */
    String text(long[] words, int from) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            int at = (int) (address & 7) + i;
            int each = (int) (words[from + (at >> 3)] >>> ((at & 7) << 3)) & 0xff;
            if (each == 0) {
                break;
            }
            text.append((char) each);
        }
        return text.toString();
    }
}
