package mayfly.hotspot.inventory;

import java.util.List;
import mayfly.hotspot.inventory.VmInventory.Undetermined;

/** The lists of what a program has registered with the JDK. Each throws {@link Undetermined} with the reason. */
public interface RegistrationQueries {
    /**
     * Returns the shutdown hooks: name and class of each thread, and the class of its task.
     *
     * @throws Undetermined if this cannot be determined; the message gives the reason
     */
    List<String> shutdownHooks() throws Undetermined;

    /**
     * Returns the classes of uncaught exception handlers: the default one, and those of live threads.
     *
     * @throws Undetermined if this cannot be determined; the message gives the reason
     */
    List<String> uncaughtExceptionHandlers() throws Undetermined;

    /**
     * Returns the numbers of the signals whose handler was set through {@code sun.misc.Signal}, by the JDK or the
     * program.
     * @throws Undetermined if this cannot be determined; the message gives the reason
     */
    List<String> signals() throws Undetermined;

    /**
     * Returns the names of the platform MBean server's MBeans.
     *
     * @throws Undetermined if this cannot be determined; the message gives the reason
     */
    List<String> mbeans() throws Undetermined;

    /**
     * Returns the recordings of the flight recorder: number, name, state.
     *
     * @throws Undetermined if this cannot be determined; the message gives the reason
     */
    List<String> flightRecordings() throws Undetermined;

    /**
     * Returns the loggers of java.util.logging that have their own level, with the level.
     *
     * @throws Undetermined if this cannot be determined; the message gives the reason
     */
    List<String> logLevels() throws Undetermined;
}
