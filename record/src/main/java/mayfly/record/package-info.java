/** Recording sessions: a session opens a target, takes samples, walks their stacks and writes a capture. */
@org.jspecify.annotations.NullMarked
package mayfly.record;
