package mayfly.cli.option;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.OptionSpec;

/**
 * An option with a value.
 *
 * @param <T> the type of the value
 */
public final class Option<T> extends Value<T> {
    private Option(OptionSpec spec) {
        super(spec);
    }

    /** Begins the definition of an option that has these names. */
    public static Names named(String... names) {
        return new Names(OptionSpec.builder(names));
    }

    /** The names of an option; its value comes next. */
    public static final class Names {
        private final OptionSpec.Builder builder;

        private Names(OptionSpec.Builder builder) {
            this.builder = builder;
        }

        /**
         * The value is converted.
         *
         * @param label the name of the value in the help
         */
        public <T> Builder<T> value(String label, ITypeConverter<T> converter) {
            return new Builder<>(builder.paramLabel(label).type(Object.class).converters(converter));
        }

        /** The value is any text. */
        public Builder<String> text(String label) {
            return new Builder<>(builder.paramLabel(label).type(String.class));
        }

        /** The value is a whole number. */
        public Builder<Integer> number(String label) {
            return new Builder<>(builder.paramLabel(label).type(int.class));
        }
    }

    /**
     * The definition of an option, up to its description.
     *
     * @param <T> the type of the value
     */
    public static final class Builder<T> {
        private final OptionSpec.Builder builder;

        private Builder(OptionSpec.Builder builder) {
            this.builder = builder;
        }

        /** Sets the text that is converted if the command line does not have the option. */
        public Builder<T> byDefault(String text) {
            builder.defaultValue(text);
            return this;
        }

        /** Refuses a command line without the option. */
        public Builder<T> required() {
            builder.required(true);
            return this;
        }

        /** Lists the permitted values in the help, in place of {@code ${COMPLETION-CANDIDATES}}. */
        public Builder<T> candidates(Iterable<String> candidates) {
            builder.completionCandidates(candidates);
            return this;
        }

        /** Returns the option. */
        public Option<T> description(String text) {
            return new Option<>(builder.description(text).build());
        }
    }
}
