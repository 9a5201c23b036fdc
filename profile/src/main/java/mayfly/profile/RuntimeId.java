package mayfly.profile;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The id of one managed runtime in a process: {@code r1}, {@code r2}, … in the order in which they started, for the
 * life of the process.
 *
 * @param number 1 or more
 */
public record RuntimeId(int number) {
    /** @throws IllegalArgumentException if {@code number} is less than 1 */
    public RuntimeId {
        if (number < 1) {
            throw new IllegalArgumentException("runtime ids start at r1, not r" + number);
        }
    }

    @Override
    public String toString() {
        return "r" + number;
    }

    /**
     * A choice among the runtimes of a process.
     *
     * @param words the id that {@code mayfly ps} shows, such as {@code r2}; or the version or a prefix of it, such as
     *     {@code 25} or {@code 17.0.15}; or several of these, separated by commas; or {@code all}
     */
    public record Choice(String words) {
        private static final String WORD = "(r[1-9][0-9]{0,3}|[1-9][0-9]{0,3}([.+_-][0-9A-Za-z.+_-]{0,60})?)";
        private static final Pattern WORDS = Pattern.compile("all|" + WORD + "(," + WORD + "){0,63}");

        /** All runtimes of the process. */
        public static final Choice ALL = new Choice("all");

        /** @throws IllegalArgumentException if the words are neither an id nor a version */
        public Choice {
            if (!WORDS.matcher(words).matches()) {
                throw new IllegalArgumentException("'" + words
                        + "' does not denote a runtime: write an id (r1, r2, ...), a version (25, 17.0.15), or all");
            }
        }

        /** Returns true if the choice is all runtimes. */
        public boolean isAll() {
            return equals(ALL);
        }

        /** Returns true if the choice lists several runtimes. */
        public boolean isList() {
            return words.indexOf(',') >= 0;
        }

        /** Returns the choices of a list, in its order; this choice if it is none. */
        public List<Choice> each() {
            return isList() ? Stream.of(words.split(",")).map(Choice::new).toList() : List.of(this);
        }

        private boolean isById() {
            return words.startsWith("r");
        }

        /**
         * Returns true if the choice, or one of a list, matches a runtime. Versions are compared by whole numbers: 2
         * does not match 25.
         */
        public boolean fits(RuntimeId id, String version) {
            if (isAll()) {
                return true;
            }
            if (isList()) {
                return each().stream().anyMatch(choice -> choice.fits(id, version));
            }
            return isById()
                    ? words.equals(id.toString())
                    : version.startsWith(words)
                            && (version.length() == words.length()
                                    || !Character.isDigit(version.charAt(words.length())));
        }

        @Override
        public String toString() {
            return words;
        }
    }
}
