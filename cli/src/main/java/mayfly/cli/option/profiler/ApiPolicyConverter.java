package mayfly.cli.option.profiler;

import mayfly.attach.client.ProfilerJar.ApiPolicy;
import mayfly.cli.option.Option;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converts the name of a policy for profilers that are built for another version of the api. */
public final class ApiPolicyConverter implements ITypeConverter<ApiPolicy> {
    /** Returns the option of a command that attaches a profiler. */
    public static Option<ApiPolicy> option() {
        return option("Which");
    }

    /**
     * Returns the option.
     *
     * @param begin the first words of its description
     */
    public static Option<ApiPolicy> option(String begin) {
        return Option.named("--api")
                .value("POLICY", new ApiPolicyConverter())
                .byDefault(ApiPolicy.OLDER.word())
                .description(begin + " profilers are accepted, by the version of the api that they are built for"
                        + " (Mayfly-Api in the manifest): same, only that of this Mayfly; older, earlier ones too;"
                        + " any, later ones too, where a call that this Mayfly lacks fails when the profiler makes it."
                        + " Default: ${DEFAULT-VALUE}.");
    }

    @Override
    public ApiPolicy convert(String word) {
        for (ApiPolicy policy : ApiPolicy.values()) {
            if (policy.word().equals(word)) {
                return policy;
            }
        }
        throw new TypeConversionException("'" + word + "' is not a policy; use same, older or any");
    }
}
