package mayfly.process;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MappingTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            emptyValue = "",
            value = {
                "/lib/libnet.so (deleted)|/lib/libnet.so|true",
                "/lib/libnet.so|/lib/libnet.so|false",
                "/memfd:x (deleted)|/memfd:x|true",
                "/a (deleted) (deleted)|/a (deleted)|true",
                "[vdso]|[vdso]|false",
                "''|''|false"
            })
    void originalPathLacksTheSuffixOfADeletedFile(String path, String original, boolean deleted) {
        Mapping mapping = new Mapping(0, 4096, true, false, true, 0, "fe:00", 1, path);
        assertThat(mapping.originalPath()).isEqualTo(original);
        assertThat(mapping.isDeleted()).isEqualTo(deleted);
    }
}
