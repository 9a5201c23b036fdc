package mayfly.api.testing;

import java.util.Optional;
import mayfly.client.MayflyException;
import org.jspecify.annotations.Nullable;

/**
 * A step of a test could not be carried out: Mayfly was not found, the program did not start, the attach was refused,
 * or a time limit has passed. The message has the cause, the remedy if there is one, and what the program has printed.
 */
public final class ProfilerTestException extends RuntimeException {
    private static final long serialVersionUID = 1;

    ProfilerTestException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /**
     * A command failed.
     *
     * @param evidence the state of the program and its output; empty if there is none yet
     */
    static ProfilerTestException of(MayflyException failure, String evidence) {
        var text = new StringBuilder(String.valueOf(failure.getMessage()));
        if (!failure.advice().isEmpty()) {
            text.append("\nadvice: ").append(failure.advice());
        }
        if (!evidence.isEmpty()) {
            text.append('\n').append(evidence);
        }
        if (!failure.stderr().isBlank()) {
            text.append("\nstandard error of mayfly:\n").append(failure.stderr().stripTrailing());
        }
        return new ProfilerTestException(text.toString(), failure);
    }

    /**
     * Returns the kind of the failure if a command of Mayfly failed or was not found, such as
     * {@link MayflyException.Reason#LASTING_COST_NOT_ACCEPTED}. {@link #getCause} is the {@link MayflyException} then.
     */
    public Optional<MayflyException.Reason> reason() {
        return getCause() instanceof MayflyException failure ? Optional.of(failure.reason()) : Optional.empty();
    }
}
