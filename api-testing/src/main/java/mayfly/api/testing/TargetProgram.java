package mayfly.api.testing;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.security.CodeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import mayfly.client.Mayfly;

/**
 * A program in which a profiler is tested, and the JVM to run it. Immutable: each method that sets something returns a
 * changed copy.
 */
public final class TargetProgram {
    private final String mainClass;
    private final List<Path> classPath;
    private final Path javaHome;
    private final List<String> options;
    private final List<String> arguments;
    private final String ready;
    private final Duration limit;

    private TargetProgram(
            String mainClass,
            List<Path> classPath,
            Path javaHome,
            List<String> options,
            List<String> arguments,
            String ready,
            Duration limit) {
        this.mainClass = mainClass;
        this.classPath = List.copyOf(classPath);
        this.javaHome = javaHome;
        this.options = List.copyOf(options);
        this.arguments = List.copyOf(arguments);
        this.ready = ready;
        this.limit = limit;
    }

    /**
     * Returns a program by its main class, which is usually a class of the test sources. The class path is the folder
     * or jar of that class.
     *
     * @throws IllegalArgumentException if the class is not from a folder or jar
     */
    public static TargetProgram of(Class<?> mainClass) {
        CodeSource source = mainClass.getProtectionDomain().getCodeSource();
        if (source == null || source.getLocation() == null) {
            throw new IllegalArgumentException(mainClass + " is not from a folder or jar");
        }
        try {
            return of(mainClass.getName(), Path.of(source.getLocation().toURI()));
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(mainClass + " is from " + source.getLocation(), e);
        }
    }

    /**
     * Returns a program by the binary name of its main class.
     *
     * @param classPath its folders and jars
     */
    public static TargetProgram of(String mainClass, Path... classPath) {
        return new TargetProgram(
                mainClass,
                List.of(classPath),
                Path.of(System.getProperty("java.home")),
                List.of(),
                List.of(),
                "",
                TimeLimit.DEFAULT);
    }

    /** Adds folders and jars to the class path. */
    public TargetProgram classPath(Path... more) {
        return new TargetProgram(mainClass, joined(classPath, more), javaHome, options, arguments, ready, limit);
    }

    /** Sets the home folder of the JDK or Java runtime. Default: the one that runs the test. */
    public TargetProgram javaHome(Path folder) {
        return new TargetProgram(mainClass, classPath, folder, options, arguments, ready, limit);
    }

    /** Adds options of the JVM, such as {@code -Xmx64m}. */
    public TargetProgram options(String... more) {
        return new TargetProgram(mainClass, classPath, javaHome, joined(options, more), arguments, ready, limit);
    }

    /** Adds arguments of the program. */
    public TargetProgram arguments(String... more) {
        return new TargetProgram(mainClass, classPath, javaHome, options, joined(arguments, more), ready, limit);
    }

    /** Makes {@link #start} wait until the program has printed a line that contains this text. */
    public TargetProgram readyWhenPrinted(String text) {
        return new TargetProgram(mainClass, classPath, javaHome, options, arguments, text, limit);
    }

    /**
     * Sets the limit for each wait of the test, from the start of the program on. Default: 60 seconds. A command of
     * Mayfly may take three minutes longer, because the first one builds a checkout whose sources are newer.
     *
     * @throws IllegalArgumentException if the time is less than a millisecond, or more than a day
     */
    public TargetProgram timeLimit(Duration time) {
        return new TargetProgram(mainClass, classPath, javaHome, options, arguments, ready, TimeLimit.checked(time));
    }

    private static <T> List<T> joined(List<T> list, T[] more) {
        return Stream.concat(list.stream(), Stream.of(more)).collect(Collectors.toList());
    }

    /**
     * Starts the program.
     *
     * @return the JVM; {@link TargetJvm#close} ends it
     * @throws ProfilerTestException if Mayfly is not installed where {@link Mayfly#find} looks, or if the JVM cannot be
     *         started
     * @throws AssertionError if the text of {@link #readyWhenPrinted} was not printed within the time limit, or before
     *         the program ended
     */
    public TargetJvm start() {
        return start(TargetJvm.installed());
    }

    /**
     * Starts the program, for a test that does not use the default installation of Mayfly.
     *
     * @throws ProfilerTestException if the JVM cannot be started
     * @throws AssertionError as {@link #start()}
     */
    public TargetJvm start(Mayfly mayfly) {
        List<String> command = command();
        Process process;
        try {
            process = new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException e) {
            throw new ProfilerTestException("the program cannot be started: " + e.getMessage(), e);
        }
        var jvm = TargetJvm.started(process, String.join(" ", command), mayfly, limit);
        try {
            if (!ready.isEmpty()) {
                jvm.awaitOutput(ready);
            }
            return jvm;
        } catch (RuntimeException | Error e) {
            jvm.close();
            throw e;
        }
    }

    private List<String> command() {
        var command = new ArrayList<String>();
        command.add(javaHome.resolve("bin").resolve("java").toString());
        command.addAll(options);
        command.add("-cp");
        command.add(classPath.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator)));
        command.add(mainClass);
        command.addAll(arguments);
        return command;
    }
}
