package mayfly.cli.option.profiler;

import java.util.Set;
import java.util.TreeSet;
import mayfly.attach.client.SupportedJava;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converts versions of Java that can host a profiler, such as {@code 17,25}. */
public final class JavaVersionsConverter implements ITypeConverter<Set<Integer>> {
    @Override
    public Set<Integer> convert(String text) {
        Set<Integer> versions = new TreeSet<>();
        for (String word : text.split(",", -1)) {
            versions.add(version(word));
        }
        return versions;
    }

    private static int version(String word) {
        int version;
        try {
            version = Integer.parseInt(word);
        } catch (NumberFormatException e) {
            throw new TypeConversionException("'" + word + "' is not a version of Java; write numbers such as 17,25");
        }
        if (version < SupportedJava.OLDEST || version > SupportedJava.NEWEST) {
            throw new TypeConversionException("a profiler can be hosted by Java " + SupportedJava.OLDEST + " to "
                    + SupportedJava.NEWEST + ", not by Java " + version);
        }
        return version;
    }
}
