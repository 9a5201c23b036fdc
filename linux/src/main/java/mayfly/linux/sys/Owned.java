package mayfly.linux.sys;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Resources that are closed, the last one first, unless the code that opens them succeeds and releases them.
 *
 * <pre>{@code
 * try (Owned owned = new Owned()) {
 *     Fd directory = owned.add(Open.directory(path));
 *     check(directory);
 *     return owned.release(new Reader(directory));
 * }
 * }</pre>
 */
public final class Owned implements AutoCloseable {
    private final Deque<AutoCloseable> resources = new ArrayDeque<>();

    /** Adds a resource, and returns it. Null is not added. */
    public <T extends @Nullable AutoCloseable> T add(T resource) {
        if (resource != null) {
            resources.push(resource);
        }
        return resource;
    }

    /** Releases all resources to their new owner, which is returned. They stay open. */
    public <T> T release(T owner) {
        resources.clear();
        return owner;
    }

    /**
     * Closes the resources that have not been released, even if closing one of them fails.
     *
     * @throws IllegalStateException if a resource throws a checked exception
     */
    @Override
    public void close() {
        AutoCloseable last = resources.poll();
        if (last == null) {
            return;
        }
        try {
            last.close();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        } finally {
            close();
        }
    }
}
