package mayfly.host.probe.jvm;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Lists of classes, each of which has a class once. */
final class WatchedClasses {
    private WatchedClasses() {}

    static int count(List<WatchedClass> classes) {
        int count = 0;
        for (WatchedClass each : classes) {
            count += each.methods().size();
        }
        return count;
    }

    static @Nullable WatchedClass find(List<WatchedClass> in, Class<?> type) {
        for (WatchedClass each : in) {
            if (each.is(type)) {
                return each;
            }
        }
        return null;
    }

    static @Nullable WatchedClass find(List<WatchedClass> in, WatchedClass same) {
        for (WatchedClass each : in) {
            if (each.id().equals(same.id())) {
                return each;
            }
        }
        return null;
    }

    /** Returns the classes of the first list, with those of the second in place of their former states. */
    static List<WatchedClass> replaced(List<WatchedClass> classes, List<WatchedClass> by) {
        List<WatchedClass> all = new ArrayList<>(by);
        for (WatchedClass each : classes) {
            if (find(by, each) == null) {
                all.add(each);
            }
        }
        return all;
    }

    static Class<?>[] types(List<WatchedClass> classes) {
        List<Class<?>> types = new ArrayList<>();
        for (WatchedClass each : classes) {
            Class<?> type = each.type();
            if (type != null) {
                types.add(type);
            }
        }
        return types.toArray(new Class<?>[0]);
    }
}
