package mayfly.report.tree;

import mayfly.profile.Frame;
import mayfly.profile.WalkOutcome;

/**
 * The name of a frame in a report. Frames with the same name below the same caller share a node.
 *
 * @param label the name as in collapsed output, before escaping
 * @param detail the library of a native frame, or the runtime of a managed frame or stub; otherwise empty
 * @param kind the kind of the frame; frames of a managed method can differ in kind, see {@link #merged}
 */
public record FrameName(String label, String detail, Kind kind) {

    static FrameName of(Frame frame, ConversionOptions options) {
        return switch (frame) {
            case Frame.Managed managed ->
                new FrameName(managedLabel(managed, options), managed.runtime().toString(), kind(managed));
            case Frame.Stub stub ->
                new FrameName(orUnnamed(stub.label()), stub.runtime().toString(), Kind.STUB);
            case Frame.Native function ->
                new FrameName(orUnnamed(function.label()), function.library(), function.vm() ? Kind.VM : Kind.NATIVE);
            case Frame.Kernel function -> new FrameName(function.label(), "", Kind.KERNEL);
            case Frame.Omitted omitted -> new FrameName(omitted.label(), "", Kind.BROKEN);
        };
    }

    /**
     * Returns the label of the root frame that represents frames that a walk did not reach or did not prove; empty if
     * there are none.
     */
    static String missing(WalkOutcome outcome) {
        return switch (outcome) {
            case COMPLETE, SHORTENED -> "";
            case TRUNCATED -> "[truncated]";
            case UNPROVEN -> "[unproven]";
            default -> "[broken:" + outcome.id() + "]";
        };
    }

    private static String managedLabel(Frame.Managed managed, ConversionOptions options) {
        String label = managed.label();
        if (options.signatures()) {
            label += Signature.parameters(managed.descriptor());
        }
        if (options.lines() && managed.line() > 0) {
            label += ":" + managed.line();
        }
        return label;
    }

    private static String orUnnamed(String label) {
        return label.isEmpty() ? "[unnamed]" : label;
    }

    private static Kind kind(Frame.Managed managed) {
        return switch (managed.kind()) {
            case Frame.Managed.INTERPRETED -> Kind.INTERPRETED.ofTier(managed.tier());
            case Frame.Managed.COMPILED -> Kind.COMPILED.ofTier(managed.tier());
            case Frame.Managed.INLINED -> managed.certainty() == Frame.Certainty.CERTAIN ? Kind.INLINED : Kind.INFERRED;
            case Frame.Managed.NATIVE -> Kind.NATIVE_METHOD;
            default -> Kind.COMPILED.ofTier(managed.mode());
        };
    }

    /** Returns the same name for every kind of execution. */
    FrameName merged() {
        return kind.isManaged() ? new FrameName(label, detail, Kind.COMPILED) : this;
    }
}
