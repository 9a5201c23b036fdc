package mayfly.api.thread;

import java.util.OptionalInt;

/**
 * A monitor that a thread owns.
 *
 * @param object the object of the monitor
 * @param frame the index, in the frames of the thread, of the frame that has entered it; absent if native code has
 *     entered it (JNI), or if the frame is not among those reported. A frame that has entered a monitor twice has two
 *     entries
 */
public record HeldMonitor(Blocker object, OptionalInt frame) {}
