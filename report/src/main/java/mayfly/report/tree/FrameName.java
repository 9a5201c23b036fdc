package mayfly.report.tree;

import mayfly.profile.Frame;
import mayfly.profile.WalkOutcome;

/**
 * The name of a frame in a report. Frames with the same name below the same caller share a node.
 *
 * @param label the name in collapsed output, before escaping
 * @param detail the library of a native frame, the runtime of a Java frame or stub, else empty
 * @param kind the kind of frame; Java frames with the same name may differ in kind
 */
public record FrameName(String label, String detail, Kind kind) {

    static FrameName of(Frame frame, ConversionOptions options) {
        return switch (frame) {
            case Frame.Java java -> new FrameName(javaLabel(java, options), java.runtime().toString(),
                    kind(java));
            case Frame.Stub stub -> new FrameName(orUnnamed(stub.label()), stub.runtime().toString(), Kind.STUB);
            case Frame.Native function -> new FrameName(orUnnamed(function.label()), function.library(),
                    function.vm() ? Kind.VM : Kind.NATIVE);
            case Frame.Kernel function -> new FrameName(function.label(), "", Kind.KERNEL);
            case Frame.Omitted omitted -> new FrameName(omitted.label(), "", Kind.BROKEN);
        };
    }

    /**
     * Returns the label of the root frame that replaces frames not reached or not proved by a walk; empty if there are
     * none.
     */
    static String missing(WalkOutcome outcome) {
        return switch (outcome) {
            case COMPLETE, SHORTENED -> "";
            case TRUNCATED -> "[truncated]";
            case UNPROVEN -> "[unproven]";
            default -> "[broken:" + outcome.id() + "]";
        };
    }

    private static String javaLabel(Frame.Java java, ConversionOptions options) {
        String label = java.label();
        if (options.signatures()) {
            label += Signature.parameters(java.descriptor());
        }
        if (options.lines() && java.line() > 0) {
            label += ":" + java.line();
        }
        return label;
    }

    private static String orUnnamed(String label) {
        return label.isEmpty() ? "[unnamed]" : label;
    }

    private static Kind kind(Frame.Java java) {
        return switch (java.tier()) {
            case INTERPRETED -> Kind.INTERPRETED;
            case C1 -> Kind.C1;
            case C2 -> Kind.C2;
            case INLINED -> java.certainty() == Frame.Certainty.CERTAIN ? Kind.INLINED : Kind.INFERRED;
            case NATIVE -> Kind.NATIVE_METHOD;
        };
    }

    /** Returns the same name for every kind of execution. */
    FrameName merged() {
        return kind.isJava() ? new FrameName(label, detail, Kind.C2) : this;
    }
}
