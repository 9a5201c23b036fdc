package mayfly.api.thread;

import java.util.List;
import java.util.Optional;
import mayfly.api.ThreadId;

/**
 * The locks that a platform thread owns, and the owner of what it waits for.
 *
 * @param monitors the monitors that the thread owns, leaf first
 * @param synchronizers the synchronizers of {@code java.util.concurrent} that the thread owns exclusively
 *     ({@link java.util.concurrent.locks.AbstractOwnableSynchronizer}), such as those of a {@code ReentrantLock}
 * @param owner the thread that owns what {@link ThreadSnapshot#blocker} names; absent if the thread does not wait, or
 *     waits for something that has no owner
 */
public record ThreadLocks(List<HeldMonitor> monitors, List<Blocker> synchronizers, Optional<ThreadId> owner) {}
