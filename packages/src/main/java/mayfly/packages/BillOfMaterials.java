package mayfly.packages;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Date;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.cyclonedx.Version;
import org.cyclonedx.exception.GeneratorException;
import org.cyclonedx.exception.ParseException;
import org.cyclonedx.generators.BomGeneratorFactory;
import org.cyclonedx.model.Bom;
import org.cyclonedx.model.Component;
import org.cyclonedx.model.LicenseChoice;
import org.cyclonedx.model.license.Expression;
import org.cyclonedx.parsers.JsonParser;

/**
 * The software bill of materials of an archive, in CycloneDX. Maven's bill has the jars; this class adds the
 * parts of the archive that Maven does not manage: the Java runtime, glibc, and picocli, which the build compiles from
 * source.
 */
final class BillOfMaterials {
    static final String FILE_NAME = "mayfly.cdx.json";

    /** The first line of the loader's answer, such as "ld.so (Debian GLIBC 2.36-9+deb12u14) stable release ...". */
    private static final Pattern GLIBC =
            Pattern.compile("ld\\.so \\((?:(\\w+) GLIBC ([^ )]+)|[^)]*)\\) .*version ([0-9.]*[0-9])");

    private static final Pattern JAVA = Pattern.compile("(?m)^JAVA_VERSION=\"([0-9A-Za-z.+_-]+)\"$");

    private BillOfMaterials() {}

    /**
     * @param maven the bill that Maven has made of the command line's dependencies
     * @param picocli the version of picocli
     */
    static void write(Path file, Path maven, Archive archive, String picocli) throws IOException {
        try {
            Bom bom = new JsonParser().parse(maven.toFile());
            List<Component> components = new ArrayList<>(bom.getComponents());
            components.add(javaRuntime(archive));
            components.add(glibc(archive));
            components.add(component("picocli", picocli, "pkg:maven/info.picocli/picocli@" + picocli, "Apache-2.0"));
            components.sort(Comparator.comparing(Component::getPurl));
            bom.setComponents(components);
            // Maven sets another timestamp and serial number in each run.
            bom.getMetadata().setTimestamp(Date.from(archive.time()));
            bom.setSerialNumber("urn:uuid:" + UUID.nameUUIDFromBytes(identity(bom)));
            Files.writeString(
                    file,
                    BomGeneratorFactory.createJson(Version.VERSION_16, bom).toJsonString() + "\n");
        } catch (ParseException | GeneratorException e) {
            throw new IOException(file + " cannot be made: " + e.getMessage(), e);
        }
    }

    private static byte[] identity(Bom bom) {
        StringBuilder parts = new StringBuilder();
        bom.getComponents().forEach(part -> parts.append(part.getPurl()).append('\n'));
        return parts.append(bom.getMetadata().getTimestamp().getTime())
                .toString()
                .getBytes(StandardCharsets.UTF_8);
    }

    private static Component javaRuntime(Archive archive) throws IOException {
        String version = group(JAVA, archive.text("runtime/release"), 1);
        Component java = component(
                "openjdk",
                version,
                "pkg:generic/openjdk@" + version.replace("+", "%2B"),
                "GPL-2.0-only WITH Classpath-exception-2.0");
        java.setType(Component.Type.PLATFORM);
        java.setCpe("cpe:2.3:a:oracle:openjdk:" + version.replace("+", "\\+") + ":*:*:*:*:*:*:*");
        return java;
    }

    private static Component glibc(Archive archive) throws IOException {
        String text = archive.text("licenses/glibc.txt");
        String release = group(GLIBC, text, 3);
        String build = group(GLIBC, text, 2).isEmpty() ? release : group(GLIBC, text, 2);
        String purl = switch (group(GLIBC, text, 1)) {
            case "Debian" -> "pkg:deb/debian/glibc@" + build.replace("+", "%2B") + "?arch=source";
            case "Ubuntu" -> "pkg:deb/ubuntu/glibc@" + build.replace("+", "%2B") + "?arch=source";
            default -> "pkg:generic/glibc@" + release;
        };
        Component glibc = component("glibc", build, purl, "LGPL-2.1-or-later");
        glibc.setCpe("cpe:2.3:a:gnu:glibc:" + release + ":*:*:*:*:*:*:*");
        return glibc;
    }

    private static Component component(String name, String version, String purl, String license) {
        Component component = new Component();
        component.setType(Component.Type.LIBRARY);
        component.setName(name);
        component.setVersion(version);
        component.setPurl(purl);
        component.setBomRef(purl);
        LicenseChoice choice = new LicenseChoice();
        choice.setExpression(new Expression(license));
        component.setLicenses(choice);
        return component;
    }

    private static String group(Pattern pattern, String text, int group) throws IOException {
        Matcher matcher = pattern.matcher(text);
        if (!matcher.find()) {
            throw new IOException("no version in \"" + text.lines().findFirst().orElse("") + "\"");
        }
        String found = matcher.group(group);
        return found == null ? "" : found;
    }
}
