package mayfly.report.pprof;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import mayfly.report.tree.SafeText;

/**
 * The string table: index 0 is the empty string. Control characters of untrusted text are made visible on insertion.
 */
final class Strings {
    private final Map<String, Integer> ids = new LinkedHashMap<>(Map.of("", 0));

    int id(String text) {
        String safe = SafeText.visible(text);
        Integer known = ids.putIfAbsent(safe, ids.size());
        return known == null ? ids.size() - 1 : known;
    }

    Set<String> inOrder() {
        return ids.keySet();
    }
}
