/**
 * Attaches a profiler to a running JVM, sends commands to it, follows its data, and detaches it.
 *
 * <p>An {@link AttachRequest} comes in; afterwards a profiler is active in the target, or an {@link
 * mayfly.attach.channel.AttachFailed} gives the reason. Start reading at {@link ProfilerClient}, whose methods are the
 * requests, and at {@link AttachOperation}, which has the steps of one attach. {@link HostedProcess} is the target with
 * its host, {@link ChosenJvm} the JVM in it, and {@link ProfilerJar} the checked jar. {@link EmissionStream} returns
 * what a profiler emits.
 *
 * <p>Everything that can be checked from outside is checked before the target is touched. One deadline limits all
 * steps. If a step before the last one fails, the target is left unchanged. The process is held from the first check
 * on, so that a request never reaches a later process with the same id.
 */
@NullMarked
package mayfly.attach.client;

import org.jspecify.annotations.NullMarked;
