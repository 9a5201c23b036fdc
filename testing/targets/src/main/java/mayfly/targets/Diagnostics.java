package mayfly.targets;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import javax.management.JMException;
import javax.management.ObjectName;

/** The JVM's diagnostic commands, invoked from inside: the output of jcmd without an attach listener. */
final class Diagnostics {
    private Diagnostics() {}

    /**
     * Runs {@code FILE OPERATION ARGUMENT...}, such as {@code /tmp/x vmNativeMemory summary}, and writes the answer to
     * the file.
     */
    static String ask(String line) {
        String[] words = line.split(" ");
        try {
            Object answer = ManagementFactory.getPlatformMBeanServer()
                    .invoke(
                            new ObjectName("com.sun.management:type=DiagnosticCommand"),
                            words[1],
                            new Object[] {Arrays.copyOfRange(words, 2, words.length)},
                            new String[] {String[].class.getName()});
            Files.writeString(Path.of(words[0]), answer.toString());
            return "asked";
        } catch (JMException | IOException e) {
            return e.toString();
        }
    }
}
