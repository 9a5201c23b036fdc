/**
 * The frames in generated code, by program counter. {@link mayfly.hotspot.frames.GeneratedCode} determines the kind of
 * the code, finds its methods and names, and caches a {@link mayfly.hotspot.frames.Site} for each program counter. No
 * class here depends on a CPU: the {@link mayfly.hotspot.frames.SiteDecoder} of the target's CPU decodes the frames,
 * and each CPU has a package with one.
 */
@org.jspecify.annotations.NullMarked
package mayfly.hotspot.frames;
