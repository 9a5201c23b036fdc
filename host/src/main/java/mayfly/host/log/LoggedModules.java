package mayfly.host.log;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Named modules, by the address of HotSpot's data of their class loader, with which they are unloaded. The log of a
 * module has a line when it is defined (tag module, level debug), and the loader's data have one when they are unloaded
 * (class+loader+data, level trace). The JVM's own line of an unloaded module has only the name, which several modules
 * can have. As in {@link LoggedClasses}, no class may be used for the first time while the lock is held.
 *
 * <pre>
 * define_module(): creation of module: m, version: NULL, location: file:///m/, loader data: 0x00007f2c34135250 for ..
 * unloadloader data: 0x00007f2c34135250 of jdk.internal.loader.Loader @1be6f5c3
 * </pre>
 */
public final class LoggedModules {
    private static final String DEFINED = "define_module(): creation of module: ";
    private static final String UNLOADED = "unloadloader data: 0x";
    private static final String VERSION = ", version: ";
    private static final String LOADER = ", loader data: 0x";

    /**
     * A module.
     *
     * @param number its number, which is negative: those of {@code Identities} are positive
     * @param name its name
     */
    public record Logged(long number, String name) {}

    /** The result of a line: the module that was loaded, or the modules that were unloaded. */
    public record Change(boolean loaded, List<Logged> modules) {}

    private final LongTable<List<Logged>> byLoader = new LongTable<>();
    private final LongTable<Logged> byNumber = new LongTable<>();
    private long last;

    /** Creates an empty set, and initialises the classes of its results and of their lists. */
    public LoggedModules() {
        Logged none = new Logged(0, "");
        List<Logged> list = new ArrayList<>(List.of(none));
        new Change(false, list.isEmpty() ? List.of() : List.of(list.get(0)));
    }

    /** Returns the change, or null if the line is not understood. */
    public synchronized @Nullable Change read(String line) {
        if (line.startsWith(UNLOADED)) {
            long loader = LogNumbers.hexAfter(line, UNLOADED);
            List<Logged> gone = byLoader.remove(loader);
            if (gone == null) {
                return loader == 0 ? null : new Change(false, List.of());
            }
            for (int i = 0; i < gone.size(); i++) {
                byNumber.remove(gone.get(i).number);
            }
            return new Change(false, gone);
        }
        int end = line.indexOf(VERSION);
        int data = line.lastIndexOf(LOADER);
        long loader = data < 0 ? 0 : LogNumbers.hexAfter(line.substring(data), LOADER);
        if (!line.startsWith(DEFINED) || end <= DEFINED.length() || loader == 0) {
            return null;
        }
        Logged defined = new Logged(--last, line.substring(DEFINED.length(), end));
        List<Logged> ofLoader = byLoader.get(loader);
        if (ofLoader == null) {
            ofLoader = new ArrayList<>();
            byLoader.put(loader, ofLoader);
        }
        ofLoader.add(defined);
        byNumber.put(defined.number, defined);
        return new Change(true, List.of(defined));
    }

    /** Returns the modules that have been defined and not unloaded. */
    public synchronized List<Logged> present() {
        List<Logged> present = new ArrayList<>();
        byNumber.addValuesTo(present);
        return present;
    }

    /** Returns the module with this number, or null. */
    public synchronized @Nullable Logged get(long number) {
        return byNumber.get(number);
    }

    /** Forgets all modules: without the log, their unloading is not seen. Their numbers are not used again. */
    public synchronized void clear() {
        byLoader.clear();
        byNumber.clear();
    }
}
