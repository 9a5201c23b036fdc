package mayfly.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import mayfly.wire.life.HostLife;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The constants, and the C header generated from them. */
class HeaderTest {
    private static final int LAST_JNI_ERROR = -6;

    @Test
    void everyClassOfConstantsIsInTheHeader() throws Exception {
        Path classes = Path.of(Header.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toURI())
                .resolve("mayfly/wire");
        try (Stream<Path> files = Files.walk(classes)) {
            assertThat(files.filter(Files::isRegularFile)
                            .map(file -> file.getFileName().toString().replace(".class", ""))
                            .filter(name -> !List.of("package-info", "Header", "HostLife")
                                    .contains(name)))
                    .containsExactlyInAnyOrderElementsOf(
                            Header.CONSTANTS.stream().map(Class::getSimpleName).toList());
        }
    }

    /** javac copies only compile-time constants into other classes. */
    @Test
    void everyFieldIsACompileTimeConstant() {
        for (Class<?> type : Header.CONSTANTS) {
            for (Field field : type.getDeclaredFields()) {
                assertThat(Modifier.isStatic(field.getModifiers())
                                && Modifier.isFinal(field.getModifiers())
                                && Modifier.isPublic(field.getModifiers()))
                        .as("%s", field)
                        .isTrue();
                assertThat(field.getType()).as("%s", field).isIn(int.class, char.class, String.class);
            }
            assertThat(type.getDeclaredMethods()).as("%s", type).isEmpty();
        }
    }

    @Test
    void aNameInCIsThatOfTheClassAndTheConstant() {
        assertThat(Header.constants())
                .contains(
                        "enum message_type {",
                        "    MESSAGE_TYPE_ATTACH = 1,",
                        "    LOAD_RESULT_NOT_OPENED = -2000,",
                        "    LOAD_OPTION_REMAINING_CLASSES = 100,",
                        "    EVENT_BIT_MODULE_LOADS = 16,",
                        "    STATUS_ATTACH_REFUSED = 12,",
                        "#define HOST_RECORD_FILE_LINK \"/memfd:mayfly-host-\"");
        assertThat(Header.checks())
                .contains(
                        "_Static_assert(offsetof(struct record, pinned_by) == 512, ",
                        "_Static_assert(sizeof((struct record *)0)->channel == 128, ");
    }

    @Test
    void eachStateOfALifeHasARowInC() {
        assertThat(Header.constants()).contains("enum host_life {\n    HOST_LIFE_OPENED = 0,\n");
        assertThat(Header.lifeRows().lines())
                .hasSize(1 + HostLife.values().length)
                .contains(
                        "[HOST_LIFE_ACTIVE] = {.published = 2, .admits_callbacks = true, .has_environment = true,"
                                + " .next = 0x18},",
                        "[HOST_LIFE_GONE] = {.published = 3, .admits_callbacks = false, .has_environment = false,"
                                + " .next = 0x0},");
    }

    @Test
    void namesInCAreDifferent() {
        List<String> names = new ArrayList<>();
        Pattern.compile("(?m)^(?:    |#define )(\\w+)")
                .matcher(Header.constants())
                .results()
                .forEach(found -> names.add(found.group(1)));
        assertThat(names).hasSizeGreaterThan(100).doesNotHaveDuplicates();
    }

    @Test
    void anUnchangedHeaderIsNotWrittenAgain(@TempDir Path folder) throws IOException {
        Header.main(new String[] {folder.toString()});
        Path header = folder.resolve("wire.h");
        Files.setLastModifiedTime(header, FileTime.fromMillis(0));
        Header.main(new String[] {folder.toString()});
        assertThat(Files.getLastModifiedTime(header)).isEqualTo(FileTime.fromMillis(0));
        Files.writeString(header, "older");
        Header.main(new String[] {folder.toString()});
        assertThat(header).hasContent(Header.constants());
    }

    /** Each number names one failure: a system call with its errno, another result of the load, or a refused event. */
    @Test
    void errorsOfTheLibraryDoNotOverlap() throws IllegalAccessException {
        List<Integer> errors = new ArrayList<>();
        for (Field field : EventError.class.getFields()) {
            errors.add(field.getInt(null));
        }
        assertThat(errors)
                .doesNotHaveDuplicates()
                .allSatisfy(error -> assertThat(error).isLessThan(LoadResult.NOT_OPENED - LoadResult.MAX_ERRNO));
        assertThat(List.of(
                        LoadResult.ALREADY_ACTIVE,
                        LoadResult.BAD_OPTIONS,
                        LoadResult.EXPIRED,
                        LoadResult.NO_UNLOADING,
                        LoadResult.OTHER_RUNTIME,
                        LoadResult.SECURITY_MANAGER))
                .doesNotHaveDuplicates()
                .allSatisfy(result -> assertThat(result).isBetween(LoadResult.NOT_OPENED + 1, LAST_JNI_ERROR - 1));
    }
}
