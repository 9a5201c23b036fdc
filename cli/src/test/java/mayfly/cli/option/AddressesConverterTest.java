package mayfly.cli.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class AddressesConverterTest {
    private final AddressesConverter converter = new AddressesConverter();

    @Test
    void addressesAreUnsignedHexadecimalNumbers() {
        assertThat(converter.convert("0x0")).containsExactly(0L);
        assertThat(converter.convert("0X7f5D40000000,0xffffffffff600000"))
                .containsExactly(0x7f5d40000000L, 0xffffffffff600000L);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "12", "7f5d40000000", "0x", "0xg", "0x1,", ",0x1", "0x1, 0x2", "0x-1", "0x10000000000000000"
            })
    void otherTextIsRefused(String text) {
        assertThatThrownBy(() -> converter.convert(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContaining("is not an address");
    }

    @Test
    void moreAddressesThanTheLimitAreRefused() {
        assertThat(converter.convert("0x1" + ",0x1".repeat(1023))).hasSize(1024);
        assertThatThrownBy(() -> converter.convert("0x1" + ",0x1".repeat(1024)))
                .isInstanceOf(TypeConversionException.class)
                .hasMessage("1025 addresses are too many; at most 1024");
    }
}
