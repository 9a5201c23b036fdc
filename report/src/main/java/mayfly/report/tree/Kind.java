package mayfly.report.tree;

import java.util.List;

/**
 * The kind of a frame. The kinds that several runtimes share, and the tiers of HotSpot, are constants; each other tier
 * of a runtime is a kind with the runtime's own word.
 *
 * @param label its name in the legend; of a runtime's own tier, untrusted text
 * @param colour its colour
 * @param origin the origin of the code
 */
public record Kind(String label, Colour colour, Origin origin) {
    /** The origin of the code of a frame. */
    public enum Origin {
        /** A method of a managed runtime. */
        METHOD,
        /** Code that a runtime generated and that is not a method. */
        GENERATED,
        /** Code of a file, or of the kernel. */
        NATIVE,
        /** The report itself: the frame is not code. */
        REPORT
    }

    public static final Kind INTERPRETED = new Kind("interpreted", Colour.INTERPRETED, Origin.METHOD);
    public static final Kind C1 = new Kind("C1", Colour.C1, Origin.METHOD);
    public static final Kind C2 = new Kind("C2", Colour.C2, Origin.METHOD);
    /** Compiled by an unknown compiler. */
    public static final Kind COMPILED = new Kind("compiled", Colour.COMPILED, Origin.METHOD);

    public static final Kind INLINED = new Kind("inlined", Colour.INLINED, Origin.METHOD);
    /** Inlined according to debug information of nearby code. */
    public static final Kind INFERRED = new Kind("inlined, inferred", Colour.INFERRED, Origin.METHOD);

    public static final Kind NATIVE_METHOD = new Kind("native method", Colour.NATIVE_METHOD, Origin.METHOD);
    public static final Kind STUB = new Kind("stub", Colour.STUB, Origin.GENERATED);
    public static final Kind VM = new Kind("VM", Colour.VM, Origin.NATIVE);
    public static final Kind NATIVE = new Kind("native", Colour.NATIVE, Origin.NATIVE);
    public static final Kind KERNEL = new Kind("kernel", Colour.KERNEL, Origin.NATIVE);
    /** Replaces missing or omitted frames. */
    public static final Kind BROKEN = new Kind("incomplete", Colour.BROKEN, Origin.REPORT);
    /** A thread's name. */
    public static final Kind THREAD = new Kind("thread", Colour.THREAD, Origin.REPORT);

    /** The constants, in the order of the legend. */
    static final List<Kind> CONSTANTS = List.of(
            INTERPRETED, C1, C2, COMPILED, INLINED, INFERRED, NATIVE_METHOD, STUB, VM, NATIVE, KERNEL, BROKEN, THREAD);

    /** Returns the kind of a tier; this kind if the tier is empty, because the kind is then sufficient. */
    Kind ofTier(String tier) {
        return switch (tier) {
            case "" -> this;
            case "C1" -> C1;
            case "C2" -> C2;
            default -> new Kind(tier, colour, origin);
        };
    }

    /**
     * Returns true if frames of this kind are methods of a managed runtime. A method has one node for all ways in which
     * it is executed.
     */
    public boolean isManaged() {
        return origin == Origin.METHOD;
    }

    /** Returns true if frames of this kind belong to a managed runtime: methods, and other code that it generated. */
    public boolean isOfRuntime() {
        return origin == Origin.METHOD || origin == Origin.GENERATED;
    }
}
