package mayfly.cli.output;

import java.util.Map;
import mayfly.profile.WalkOutcome;

/** Descriptions of walk outcomes for a terminal: the reasons for an incomplete stack. */
public final class OutcomeWords {
    private static final Map<String, String> WORDS = Map.ofEntries(
            Map.entry("truncated", "more frames than a walk follows"),
            Map.entry("shortened", "more than 8,192 frames: those in the middle are left out"),
            Map.entry("unproven", "the frames next to the root were read after the thread had run on"),
            Map.entry("no_user_context", "the thread ran 32-bit code, or the kernel gave no registers"),
            Map.entry("not_copied", "the wait ended, or the thread could run, before its stack was copied"),
            Map.entry("stack_unreadable", "a part of the stack could not be read"),
            Map.entry("stack_changed", "the stack changed before all of it was read"),
            Map.entry("unknown_code", "the program counter was outside all known code"),
            Map.entry("no_cfi", "native code without unwind information"),
            Map.entry("root_not_walked", "deep stacks had used their share of CPU time"),
            Map.entry("unknown_register", "unwind information needs a register that is not known"),
            Map.entry("bad_cfi", "unwind information that is malformed or of an unknown kind"),
            Map.entry("implausible_return_address", "the value in place of a return address cannot be one"),
            Map.entry("no_progress", "the walk did not move towards the root"),
            Map.entry("stale_code", "compiled code was freed between the sample and the walk"),
            Map.entry("bad_interpreter_frame", "an interpreter frame without a valid method"),
            Map.entry("bad_metadata", "the JVM's data about its code was inconsistent"),
            Map.entry("thread_gone", "the thread ended before it was walked"),
            Map.entry("target_ended", "the process ended before the stack was walked"),
            Map.entry("program_replaced", "the process became another program before the stack was walked"));

    private OutcomeWords() {}

    /** Returns a short description; for an unknown outcome, a pointer to the documentation. */
    public static String of(WalkOutcome outcome) {
        return WORDS.getOrDefault(outcome.id(), "see docs/troubleshooting.md");
    }
}
