package mayfly.stack;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.MethodModel;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import mayfly.profile.Frame;
import mayfly.profile.RuntimeId;
import org.junit.jupiter.api.Test;

/** Compares {@link HiddenMethods} with the annotations on the methods of this JDK. */
class HiddenFramesTest {
    private static final Set<String> MARKS =
            Set.of("Ljdk/internal/vm/annotation/Hidden;", "Ljava/lang/invoke/LambdaForm$Compiled;");

    private static boolean isHidden(String className, String method) {
        return HiddenMethods.isHidden(
                new Frame.Managed(new RuntimeId(1), "java", "compiled", "C1", className, method, "()V", 0, 1));
    }

    @Test
    void hiddenMethodsAreThoseAnnotatedInTheJdk() throws IOException {
        Set<String> marked = new TreeSet<>();
        Set<String> hidden = new TreeSet<>();
        Path base = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules/java.base");
        try (Stream<Path> files = Files.walk(base)) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".class")).toList()) {
                ClassModel model = ClassFile.of().parse(Files.readAllBytes(file));
                String name = model.thisClass().asInternalName().replace('/', '.');
                for (MethodModel method : model.methods()) {
                    String methodName = method.methodName().stringValue();
                    if (methodName.startsWith("<")) {
                        continue; // no thread blocks in a constructor of these
                    }
                    if (isMarked(method)) {
                        marked.add(name + "." + methodName);
                    }
                    if (isHidden(name, methodName)) {
                        hidden.add(name + "." + methodName);
                    }
                }
            }
        }
        assertThat(marked).hasSizeGreaterThan(100);
        assertThat(hidden).isEqualTo(marked);
    }

    private static boolean isMarked(MethodModel method) {
        return method.findAttribute(Attributes.runtimeVisibleAnnotations()).stream()
                .flatMap(all -> all.annotations().stream())
                .anyMatch(each -> MARKS.contains(each.className().stringValue()));
    }

    @Test
    void lambdaFormAndLambdaClassesAreHidden() {
        for (String name : List.of(
                "java.lang.invoke.LambdaForm$DMH/0x00007fd6f4004000",
                "java.lang.invoke.LambdaForm$MH/0x000000004504a400",
                "a.B$$Lambda$71/0x00007fd6f400b310",
                "a.B$$Lambda/0x000000004504fce0")) {
            assertThat(isHidden(name, "x")).as(name).isTrue();
        }
        for (String name : List.of("a.B", "a.B$$Lambda", "a.B$C/0x000000004504fce0", "java.lang.invoke.MethodHandle")) {
            assertThat(isHidden(name, "x")).as(name).isFalse();
        }
    }
}
