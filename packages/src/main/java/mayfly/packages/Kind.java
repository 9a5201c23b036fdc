package mayfly.packages;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** A format that is made from an archive, by the word that selects it. */
enum Kind {
    DEB,
    RPM,
    OCI,
    SBOM;

    /** @param words separated by commas; without words, all kinds */
    static Set<Kind> named(String words) {
        Set<Kind> kinds = EnumSet.noneOf(Kind.class);
        for (String word : words.isBlank() ? words().toArray(String[]::new) : words.split(",")) {
            kinds.add(valueOf(word.toUpperCase(Locale.ROOT)));
        }
        return kinds;
    }

    static List<String> words() {
        return Arrays.stream(values())
                .map(kind -> kind.name().toLowerCase(Locale.ROOT))
                .toList();
    }
}
