package mayfly.host.log;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Classes by the address of HotSpot's Klass, which identifies a class until it is unloaded. The log of a class has two
 * lines (tags class+load, level debug), and that of its unloading one (class+unload):
 *
 * <pre>
 * B source: file:/app/
 *  klass: 0x000000000c041800 .. loader: [loader data: 0x00007fa5cc0cad50 for instance a 'java/net/URLClassLoader'..]
 * unloading class B 0x000000000c041800
 * </pre>
 *
 * <p>No Class object is made from an address: between a check of the address and its use, the JVM may unload the class
 * and free the memory (decision 39).
 *
 * <p>A callback may take the lock, and may occur because its thread is loading a class. No class may therefore be used
 * for the first time while the lock is held: {@link mayfly.host.id.Identities}.
 */
public final class LoggedClasses {
    private static final String SOURCE = " source: ";
    private static final String KLASS = " klass: 0x";
    /** The beginning of the line of an unloaded class. */
    public static final String UNLOADING = "unloading class ";

    private static final String LOADER_DATA = "loader data: 0x";
    private static final String INSTANCE = " for instance a '";

    /**
     * A class.
     *
     * @param number its number, which is negative: those of {@code Identities} are positive
     * @param name its name with dots
     * @param loader the loader's class and the address of its data; null for the boot loader
     */
    public record Logged(long number, String name, @Nullable String loader) {}

    /** The result of a line: a class that was loaded or unloaded. */
    public record Change(boolean loaded, Logged type) {}

    private final LongTable<Logged> byKlass = new LongTable<>();
    private final LongTable<Logged> byNumber = new LongTable<>();
    private long last;
    /** The name in the line before, and the time of that line: both lines of a class have the same. */
    private @Nullable String name;

    private long nameTime;
    /** The number of threads that read the present classes, and the addresses unloaded since the first began. */
    private int readers;

    private final LongTable<Boolean> unloadedMeanwhile = new LongTable<>();

    /** True if the last line was the first of two, or did not concern a known class. */
    private boolean understood = true;

    /** Creates an empty set, and initialises the classes of its results. */
    public LoggedClasses() {
        new Change(false, new Logged(0, "", null));
    }

    /**
     * Reads a line with its time. Returns the change, or null if the line alone is none, if the class was not known, or
     * if the line is not understood: {@link #understood}.
     */
    public synchronized @Nullable Change read(String line, long time) {
        understood = true;
        if (line.startsWith(UNLOADING)) {
            int space = line.lastIndexOf(' ');
            long address = LogNumbers.hexAfter(line.substring(Math.max(space, 0)), " 0x");
            Logged gone = byKlass.remove(address);
            if (readers > 0) {
                unloadedMeanwhile.put(address, Boolean.TRUE);
            }
            if (gone != null) {
                byNumber.remove(gone.number);
            }
            understood = space >= UNLOADING.length();
            return gone == null ? null : new Change(false, gone);
        }
        if (!line.startsWith(KLASS)) {
            name = line.substring(0, Math.max(line.indexOf(SOURCE), 0));
            nameTime = time;
            understood = !name.isEmpty();
            return null;
        }
        String named = name;
        name = null;
        long klass = LogNumbers.hexAfter(line, KLASS);
        unloadedMeanwhile.remove(klass);
        if (named == null || named.isEmpty() || klass == 0 || nameTime != time) {
            understood = false;
            return null;
        }
        Logged known = byKlass.get(klass);
        if (known != null && known.name.equals(named)) {
            return null; // it has been found among the present classes, which were read after the line was written
        }
        return new Change(true, add(klass, named, loader(line)));
    }

    /** Returns false if the last line was not understood. */
    public synchronized boolean understood() {
        return understood;
    }

    /** Returns the loader's class and the address of its data: {@code java.net.URLClassLoader@7fa5cc0cad50}. */
    private static @Nullable String loader(String line) {
        long data = LogNumbers.hexAfter(line, LOADER_DATA);
        int from = line.indexOf(INSTANCE);
        int to = from < 0 ? -1 : line.indexOf('\'', from + INSTANCE.length());
        if (data == 0 || to < 0) {
            return null;
        }
        return line.substring(from + INSTANCE.length(), to).replace('/', '.') + '@' + Long.toHexString(data);
    }

    private Logged add(long klass, String className, @Nullable String loader) {
        Logged logged = new Logged(--last, className, loader);
        Logged replaced = byKlass.put(klass, logged);
        if (replaced != null) {
            byNumber.remove(replaced.number);
        }
        byNumber.put(logged.number, logged);
        return logged;
    }

    /** The calling thread begins to read the list of the present classes. */
    public synchronized void beginReading() {
        readers++;
    }

    /** The calling thread has ended to read the list. */
    public synchronized void endReading() {
        readers--;
        if (readers == 0) {
            unloadedMeanwhile.clear();
        }
    }

    /**
     * Adds the present classes that are not known, and returns all of them. A class that the log has reported keeps its
     * number.
     *
     * @param klasses the address of the Klass of each class and that of its loader's data, which is 0 for the boot
     *     loader, in turn
     * @param names the classes' names as in a class file
     */
    public synchronized List<Logged> present(long[] klasses, String[] names) {
        List<Logged> all = new ArrayList<>(names.length);
        for (int i = 0; i < names.length; i++) {
            long klass = klasses[2 * i];
            long loader = klasses[2 * i + 1];
            Logged known = byKlass.get(klass);
            if (known == null && unloadedMeanwhile.get(klass) != null) {
                continue; // the list was read before the class was unloaded, or while it was
            }
            if (known == null) {
                known = add(klass, dotted(names[i]), loader == 0 ? null : "@" + Long.toHexString(loader));
            }
            all.add(known);
        }
        return all;
    }

    /** Converts {@code p/A} to {@code p.A}, and {@code p/A+0x1}, the name of a hidden class, to {@code p.A/0x1}. */
    private static String dotted(String name) {
        String dotted = name.replace('/', '.');
        int hidden = dotted.lastIndexOf("+0x");
        return hidden < 0 ? dotted : dotted.substring(0, hidden) + '/' + dotted.substring(hidden + 1);
    }

    /** Returns the class with this number, or null. */
    public synchronized @Nullable Logged get(long number) {
        return byNumber.get(number);
    }

    /** Forgets all classes: without the log, their unloading is not seen. Their numbers are not used again. */
    public synchronized void clear() {
        byKlass.clear();
        byNumber.clear();
        name = null;
    }
}
