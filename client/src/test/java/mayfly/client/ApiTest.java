package mayfly.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The public types and their members, in a file. A removed or changed line breaks programs that use the library, and
 * needs a new major version; an added line needs a new minor version. {@code -Dgolden=write} rewrites the file.
 */
class ApiTest {
    private static final Path GOLDEN = Path.of("src/test/resources/golden/api.txt");

    @Test
    void publicApiEqualsTheGoldenFile() throws Exception {
        String actual = String.join("\n", api()) + "\n";
        if ("write".equals(System.getProperty("golden"))) {
            Files.createDirectories(GOLDEN.getParent());
            Files.writeString(GOLDEN, actual);
        }
        assertThat(GOLDEN)
                .as("rewritten by: mvn -pl client -am verify -Dgolden=write")
                .content()
                .isEqualTo(actual);
    }

    @Test
    void publicSignaturesHaveOnlyTypesOfThisPackageAndOfTheJdk() throws Exception {
        assertThat(api())
                .isNotEmpty()
                .noneMatch(line -> line.contains("mayfly.client.json")
                        || line.contains("mayfly.client.process")
                        || line.contains("Results"));
    }

    private static List<String> api() throws IOException, ReflectiveOperationException {
        var lines = new ArrayList<String>();
        for (Class<?> type : publicTypes()) {
            lines.add(declaration(type));
            members(type).forEach(member -> lines.add("    " + member));
        }
        return lines;
    }

    private static List<Class<?>> publicTypes() throws IOException, ReflectiveOperationException {
        Path classes = Path.of(
                Mayfly.class.getProtectionDomain().getCodeSource().getLocation().getPath());
        var types = new TreeMap<String, Class<?>>();
        try (Stream<Path> files = Files.list(classes.resolve("mayfly/client"))) {
            for (Path file : files.toList()) {
                String name = file.getFileName().toString();
                if (name.endsWith(".class") && !name.equals("package-info.class")) {
                    Class<?> type = Class.forName("mayfly.client." + name.replace(".class", ""));
                    if (isPublic(type)) {
                        types.put(type.getName(), type);
                    }
                }
            }
        }
        return List.copyOf(types.values());
    }

    private static boolean isPublic(Class<?> type) {
        boolean isVisible = Modifier.isPublic(type.getModifiers());
        return isVisible && (type.getEnclosingClass() == null || isPublic(type.getEnclosingClass()));
    }

    private static String declaration(Class<?> type) {
        String kind = type.isEnum() ? "enum" : "class";
        if (type.isInterface()) {
            kind = "interface";
        }
        var supertypes = new TreeSet<String>();
        if (type.getSuperclass() != null && type.getSuperclass() != Object.class) {
            supertypes.add(type.getGenericSuperclass().getTypeName());
        }
        Arrays.stream(type.getGenericInterfaces()).forEach(each -> supertypes.add(each.getTypeName()));
        return (type.isSealed() ? "sealed " : "") + (Modifier.isFinal(type.getModifiers()) ? "final " : "") + kind + " "
                + type.getName() + (supertypes.isEmpty() ? "" : " : " + String.join(", ", supertypes));
    }

    private static Set<String> members(Class<?> type) {
        var members = new TreeSet<String>();
        for (Field field : type.getDeclaredFields()) {
            add(field, field.toGenericString(), members);
        }
        for (Constructor<?> constructor : type.getDeclaredConstructors()) {
            add(constructor, constructor.toGenericString(), members);
        }
        for (Method method : type.getDeclaredMethods()) {
            add(method, method.toGenericString(), members);
        }
        return members;
    }

    private static void add(Member member, String signature, Set<String> members) {
        if (Modifier.isPublic(member.getModifiers()) && !member.isSynthetic()) {
            members.add(Arrays.stream(signature.split(" "))
                    .map(word -> word.replace("java.lang.", ""))
                    .collect(Collectors.joining(" ")));
        }
    }
}
