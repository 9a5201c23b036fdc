package mayfly.host.probe;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.JarURLConnection;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import mayfly.api.probe.ProbeRefusal;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.objectweb.asm.ClassReader;

/** Probes in each method of a library, which a loader defines once more. */
@Tag("slow")
class ProbedLibraryTest {
    private static final String ASM = "org.objectweb.asm.";

    private final Map<String, byte[]> classes = new TreeMap<>();
    private final List<String> names = new ArrayList<>();
    private final Map<ProbeRefusal, Integer> refusals = new TreeMap<>();

    private void insertProbes(String file, byte[] original) throws MalformedCode {
        String name = file.substring(0, file.length() - ".class".length()).replace('/', '.');
        Map<String, Integer> probes = new TreeMap<>();
        for (ClassFile.Method method : ClassFile.parse(original).methods()) {
            boolean hasProbe = method.code() != null && !method.name().startsWith("<");
            probes.put(method.key(), hasProbe ? names.size() : ProbedClass.ABSENT);
            if (hasProbe) {
                names.add(name + "." + method.key());
            }
        }
        Insertion insertion = ProbeCode.insert(original, probes);
        insertion.refusals().values().forEach(reason -> refusals.merge(reason, 1, Integer::sum));
        byte[] changed = insertion.classFile();
        classes.put(name, changed == null ? original : changed);
    }

    /** Defines the classes with probes itself, and finds all others where this class finds them. */
    private final class Loader extends ClassLoader {
        Loader() {
            super(ProbedLibraryTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                Class<?> found = findLoadedClass(name);
                byte[] bytes = classes.get(name);
                if (found != null || bytes == null) {
                    return found != null ? found : super.loadClass(name, resolve);
                }
                return defineClass(name, bytes, 0, bytes.length);
            }
        }
    }

    /** The JDK's parser of XML and its compiler of stylesheets, whose parser is generated code. */
    @Test
    void jvmVerifiesEachClassOfAModuleOfTheJdk() throws Exception {
        Path module = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules/java.xml");
        try (Stream<Path> files = Files.walk(module)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                String name = module.relativize(file).toString();
                if (name.endsWith(".class") && name.matches("(com/sun|jdk)/.*")) {
                    insertProbes(name, Files.readAllBytes(file));
                }
            }
        }
        assertThat(refusals)
                .containsOnlyKeys(ProbeRefusal.ABSTRACT, ProbeRefusal.CONSTRUCTOR, ProbeRefusal.CLASS_INITIALIZER);
        Loader loader = new Loader();
        int methods = 0;
        for (String name : classes.keySet()) {
            methods += loader.loadClass(name).getDeclaredMethods().length; // which makes HotSpot verify the class
        }
        assertThat(methods).isGreaterThanOrEqualTo(names.size()).isGreaterThan(10_000);
    }

    /** ASM with probes in its methods reads and writes classes. */
    @Test
    void libraryBehavesAsWithoutProbesAndEachLeaveBelongsToTheLastEnter() throws Exception {
        insertProbesIntoAsm();
        Deque<Integer> stack = new ArrayDeque<>();
        List<String> errors = new ArrayList<>();
        long[] calls = new long[3];
        List<String> results;
        ScriptedProvider.start((number, kind) -> {
            if (kind == '+') {
                stack.push(number);
                calls[0]++;
            } else if (stack.isEmpty() || stack.pop() != number) {
                errors.add(kind + names.get(number));
            } else {
                calls[kind == '-' ? 1 : 2]++;
            }
        });
        try {
            results = rewrite(new Loader());
        } finally {
            ScriptedProvider.stop();
        }
        assertThat(errors).isEmpty();
        assertThat(stack).isEmpty();
        assertThat(results).isEqualTo(rewrite(ProbedLibraryTest.class.getClassLoader()));
        assertThat(calls[0]).isEqualTo(calls[1] + calls[2]).isGreaterThan(10_000);
        assertThat(calls[2]).as("leaves by exception").isPositive();
    }

    private void insertProbesIntoAsm() throws IOException, MalformedCode {
        JarURLConnection connection = (JarURLConnection)
                ClassReader.class.getResource("ClassReader.class").openConnection();
        try (JarFile jar = new JarFile(connection.getJarFileURL().getPath())) {
            for (JarEntry entry : (Iterable<JarEntry>) jar.stream()::iterator) {
                if (entry.getName().startsWith("org/objectweb/asm/")
                        && entry.getName().endsWith(".class")) {
                    insertProbes(entry.getName(), jar.getInputStream(entry).readAllBytes());
                }
            }
        }
    }

    /** Rewrites some classes with new frames, and one that is malformed. Returns the files and the exceptions. */
    private static List<String> rewrite(ClassLoader loader) throws Exception {
        Class<?> reader = loader.loadClass(ASM + "ClassReader");
        Class<?> writer = loader.loadClass(ASM + "ClassWriter");
        List<String> results = new ArrayList<>();
        for (Class<?> each : new Class<?>[] {ProbedSamples.class, ProbeCode.class, String.class}) {
            byte[] original = ProbedClass.bytes(each);
            Object out = writer.getConstructor(int.class).newInstance(each == String.class ? 1 : 2);
            read(reader, original, out);
            results.add(HexFormat.of()
                    .formatHex((byte[]) writer.getMethod("toByteArray").invoke(out)));
        }
        byte[] malformed = ProbedClass.bytes(ProbedSamples.class);
        malformed[malformed.length / 2] ^= 0x55;
        malformed[malformed.length / 3] ^= 0x55;
        for (int length = malformed.length; length > malformed.length - 200; length -= 20) {
            try {
                read(
                        reader,
                        Arrays.copyOf(malformed, length),
                        writer.getConstructor(int.class).newInstance(1));
            } catch (InvocationTargetException e) {
                results.add(e.getCause().toString());
            }
        }
        return results;
    }

    private static void read(Class<?> reader, byte[] bytes, Object writer) throws ReflectiveOperationException {
        Class<?> visitor = writer.getClass().getSuperclass();
        Object in = reader.getConstructor(byte[].class).newInstance((Object) bytes);
        reader.getMethod("accept", visitor, int.class).invoke(in, writer, 0);
    }
}
