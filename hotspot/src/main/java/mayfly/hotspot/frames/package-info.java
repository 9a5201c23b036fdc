/**
 * The frames in generated code, by program counter.
 *
 * <p>A cursor at a frame comes in, and the frames there and the caller's registers go out. Start reading at {@link
 * GeneratedCode}: it determines the kind of the code, finds its methods and names, and caches a {@link Site} for each
 * program counter. {@link NmethodFrames} has the frames of compiled methods, and {@link Routines} the code that is not
 * a method.
 *
 * <p>No class here depends on a CPU: the {@link SiteDecoder} of the target's CPU decodes the frames, and each CPU has a
 * package with one. A site is used only while its blob is in place. A word that should be a return address is accepted
 * only if a call can return to it; otherwise the walk ends with the reason.
 */
@org.jspecify.annotations.NullMarked
package mayfly.hotspot.frames;
