package mayfly.cli.option;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import mayfly.stack.CodeAddresses;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converts addresses such as {@code 0x7f5d40000000}, separated by commas. */
public final class AddressesConverter implements ITypeConverter<List<Long>> {
    private static final Pattern ADDRESS = Pattern.compile("0[xX][0-9a-fA-F]{1,16}");

    @Override
    public List<Long> convert(String text) {
        String[] words = text.split(",", -1);
        if (words.length > CodeAddresses.MAX_ADDRESSES) {
            throw new TypeConversionException(
                    words.length + " addresses are too many; at most " + CodeAddresses.MAX_ADDRESSES);
        }
        return Stream.of(words).map(AddressesConverter::address).toList();
    }

    private static Long address(String word) {
        if (!ADDRESS.matcher(word).matches()) {
            throw new TypeConversionException("'" + word + "' is not an address; write 0x and hexadecimal digits");
        }
        return Long.parseUnsignedLong(word, 2, word.length(), 16);
    }
}
