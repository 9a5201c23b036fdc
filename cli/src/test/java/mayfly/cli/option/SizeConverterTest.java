package mayfly.cli.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class SizeConverterTest {
    private final SizeConverter converter = new SizeConverter();

    @ParameterizedTest
    @CsvSource({
        "64k, 65536",
        "1m, 1048576",
        "500M, 524288000",
        "2g, 2147483648",
        "999999999G, 1073741822926258176",
        "0k, 0"
    })
    void sizeIsANumberOfUnits(String text, long bytes) {
        assertThat(converter.convert(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "k", "64", "64kb", "1.5m", "-1m", "+1m", " 1m", "1 m", "1t", "1234567890k", "٣m"})
    void anythingElseIsRefused(String text) {
        assertThatThrownBy(() -> converter.convert(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessage("'" + text + "' is not a size; write 64k, 500m or 2g");
    }
}
