package mayfly.record.event;

import mayfly.profile.WalkOutcome;

/**
 * The walk of one sample. The sink reuses the object, so that a sample allocates nothing: it is valid until the next
 * walk begins.
 */
public interface SampledWalk {

    WalkOutcome outcome();

    /** Returns the stack pointer of the frame where the walk ended. */
    long stackEnd();

    /** Returns true if the walk has found a frame of a managed runtime. */
    boolean hasManaged();

    /** Drops the frames that the walk has found. Kernel frames stay. */
    void drop();
}
