package mayfly.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.net.JarURLConnection;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Test;
import org.objectweb.asm.ClassReader;

/** The classes for probes in the loader of a host, as the trigger sends them. */
class DeferredProbesTest {
    private static final String PROBE = "mayfly/host/probe/";
    private static final List<String> AT_START = List.of(
            "ProbeCode",
            "ProbeKeys",
            "DeferredClasses",
            "Insertion",
            "ConstantPool",
            "ClassFile",
            "ClassFile$Method",
            "ClassFile$Range",
            "MalformedCode");
    private static final List<String> DEFERRED = List.of(
            "MethodScan",
            "ProbeInserter",
            "ProbeInserter$1",
            "ProbeInserter$2",
            "ProbedMethod",
            "ProbedMethod$Range",
            "ReducedClass");

    /** Has only the api, as the loader of the host's classes has it among its own. */
    private static final class ApiOnly extends ClassLoader {
        ApiOnly() {
            super(null);
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            if (!name.startsWith("mayfly.api.") && !name.startsWith("mayfly.host.probe.ProbeRefusal")) {
                throw new ClassNotFoundException(name);
            }
            return Class.forName(name);
        }
    }

    private final MemoryLoader loader = new MemoryLoader("test", new ApiOnly());

    private void add(String name, byte[] content) {
        byte[] text = name.getBytes(StandardCharsets.UTF_8);
        assertThat(loader.add(ByteBuffer.allocate(8 + text.length + content.length)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putInt(text.length)
                        .put(text)
                        .putInt(content.length)
                        .put(content)
                        .array()))
                .isTrue();
    }

    private void addHost() throws IOException {
        for (String name : AT_START) {
            add(PROBE + name + ".class", read("probe/" + name + ".class"));
        }
    }

    private void addDeferred() throws IOException {
        for (String name : DEFERRED) {
            add(PROBE + "asm/" + name + ".class.deferred", read("probe/asm/" + name + ".class"));
        }
        JarURLConnection connection = (JarURLConnection)
                ClassReader.class.getResource("ClassReader.class").openConnection();
        try (JarFile jar = new JarFile(connection.getJarFileURL().getPath())) {
            for (JarEntry entry : (Iterable<JarEntry>) jar.stream()::iterator) {
                if (entry.getName().startsWith("org/objectweb/asm/")
                        && entry.getName().endsWith(".class")) {
                    add(entry.getName() + ".deferred", jar.getInputStream(entry).readAllBytes());
                }
            }
        }
    }

    private static byte[] read(String name) throws IOException {
        try (InputStream in = Host.class.getResourceAsStream(name)) {
            assertThat(in).as(name).isNotNull();
            var out = new ByteArrayOutputStream();
            in.transferTo(out);
            return out.toByteArray();
        }
    }

    private Object insert() throws ReflectiveOperationException, IOException {
        Class<?> code = Class.forName("mayfly.host.probe.ProbeCode", true, loader);
        assertThat(code.getClassLoader()).isSameAs(loader);
        return code.getMethod("insert", byte[].class, Map.class)
                .invoke(null, read("MemoryLoader.class"), Map.of("loadAll()V", 1));
    }

    @Test
    void probesAreInsertedByClassesThatTheHostDoesNotDefineAtItsStart() throws Exception {
        addHost();
        addDeferred();
        loader.loadAll();
        assertThatThrownBy(() -> loader.loadClass("org.objectweb.asm.ClassReader"))
                .isInstanceOf(ClassNotFoundException.class);
        Object insertion = insert();
        assertThat(insertion.getClass().getMethod("refusals").invoke(insertion)).isEqualTo(Map.of());
        assertThat(new String(
                        (byte[]) insertion.getClass().getMethod("classFile").invoke(insertion),
                        StandardCharsets.ISO_8859_1))
                .contains("mayfly/probe/1/thrown");
    }

    /** The profiler's jar may contain another version of ASM, which the host does not use. */
    @Test
    void asmOfTheProfilerIsNotUsed() throws Exception {
        addHost();
        addDeferred();
        add("org/objectweb/asm/ClassReader.class", new byte[] {1, 2, 3});
        assertThat(insert()).isNotNull();
        assertThatThrownBy(() -> loader.loadClass("org.objectweb.asm.ClassReader"))
                .isInstanceOf(ClassFormatError.class);
    }

    @Test
    void insertionWithoutTheClassesForProbesIsRefused() throws Exception {
        addHost();
        assertThatThrownBy(this::insert)
                .isInstanceOf(InvocationTargetException.class)
                .hasRootCauseInstanceOf(ClassNotFoundException.class)
                .cause()
                .isInstanceOf(IllegalStateException.class);
    }
}
