package mayfly.unwind;

import java.util.List;
import java.util.Optional;

/** Recognizes processes whose C library is musl. Walks are supported only for glibc. */
public final class Musl {
    /** The dynamic loader, which is also the C library, and the name by which Alpine's programs depend on it. */
    private static final List<String> PREFIXES = List.of("ld-musl-", "libc.musl-");
    /** The same file in other distributions. The library of glibc is libc.so.6. */
    private static final String LIBRARY = "libc.so";

    private Musl() {}

    /** Returns the path of the first module that is musl. */
    public static Optional<String> in(List<NativeModule> modules) {
        return modules.stream()
                .filter(module -> isMusl(module.name()))
                .map(NativeModule::path)
                .findFirst();
    }

    private static boolean isMusl(String fileName) {
        return fileName.equals(LIBRARY) || PREFIXES.stream().anyMatch(fileName::startsWith);
    }
}
