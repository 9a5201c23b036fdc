package mayfly.cli;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import mayfly.cli.output.Terminal;
import org.junit.jupiter.api.Test;

/** The modules and their dependencies: module-info declares them, and ARCHITECTURE.md shows them. */
class RoomsTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final int MAX_FILES = 20;
    /** A row of the module table: name, purpose, dependencies. */
    private static final Pattern ROW = Pattern.compile("\\| `([a-z-]+)`(?: \\(17\\))? \\| [^|]+ \\| ([^|]+) \\|");

    private static final Pattern REQUIRES = Pattern.compile("requires (?:transitive |static )?mayfly\\.([a-z]+);");
    private static final Pattern TRANSITIVE = Pattern.compile("requires (?:static )?transitive (?:static )?([a-z.]+);");
    /** The permitted ones: a room, a space, and the module that it requires for the rooms that require it. */
    private static final Set<String> TRANSITIVE_ROWS = Set.of("api-testing mayfly.client");
    /** A dependency of a POM that is not only for tests. */
    private static final Pattern DEPENDENCY = Pattern.compile("<artifactId>mayfly-([a-z]+)</artifactId>"
            + "(?:<version>[^<]*</version>)?(?:<scope>(?!test)[a-z]+</scope>)?</dependency>");

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("mayfly");

    @Test
    void documentedModuleDependenciesEqualModuleInfo() throws IOException {
        Map<String, Set<String>> modules = new TreeMap<>();
        for (String room : rooms().keySet()) {
            modules.put(room, found(REQUIRES, moduleInfo(room)));
        }
        assertThat(rooms()).hasSizeGreaterThan(12).isEqualTo(modules);
    }

    /** A transitive dependency is an arrow that the table does not show at the rooms that use it. */
    @Test
    void noRoomRequiresAModuleTransitivelyWithoutARow() throws IOException {
        var required = new TreeSet<String>();
        for (String room : rooms().keySet()) {
            found(TRANSITIVE, moduleInfo(room)).forEach(module -> required.add(room + " " + module));
        }
        assertThat(required).isEqualTo(TRANSITIVE_ROWS);
    }

    @Test
    void dependenciesOfEachPomAreDeclaredByModuleInfo() throws IOException {
        Map<String, Set<String>> rooms = rooms();
        for (String room : rooms.keySet()) {
            Set<String> dependencies =
                    found(DEPENDENCY, Files.readString(ROOT.resolve(room).resolve("pom.xml")));
            dependencies.retainAll(rooms.keySet());
            assertThat(found(REQUIRES, moduleInfo(room))).as(room).containsAll(dependencies);
        }
    }

    /** Returns the rooms of the table in ARCHITECTURE.md with the rooms that each uses. */
    private static Map<String, Set<String>> rooms() throws IOException {
        Map<String, Set<String>> table = new TreeMap<>();
        Matcher row = ROW.matcher(Files.readString(ROOT.resolve("ARCHITECTURE.md")));
        while (row.find()) {
            table.put(
                    row.group(1),
                    Arrays.stream(row.group(2).split("[,\\s]+"))
                            .filter(word -> word.matches("[a-z]+"))
                            .collect(Collectors.toCollection(TreeSet::new)));
        }
        return table;
    }

    private static String moduleInfo(String room) throws IOException {
        return Files.readString(ROOT.resolve(room).resolve("src/main/java/module-info.java"));
    }

    private static Set<String> found(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map(found -> found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The packages of the api are one set of types: an interface has methods for all, and all contain ids. */
    @Test
    void packagesHaveNoCycles() {
        slices().matching("mayfly.(**)")
                .should()
                .beFreeOfCycles()
                .ignoreDependency(resideInAPackage("mayfly.api.."), resideInAPackage("mayfly.api.."))
                .check(CLASSES);
    }

    @Test
    void packagesHaveAtMostTwentyFiles() throws IOException {
        Map<Path, Long> sizes = new TreeMap<>();
        try (Stream<Path> rooms = Files.list(ROOT)) {
            for (Path sources : rooms.map(room -> room.resolve("src/main/java"))
                    .filter(Files::isDirectory)
                    .toList()) {
                try (Stream<Path> files = Files.walk(sources)) {
                    files.filter(file -> file.toString().endsWith(".java") && !file.endsWith("package-info.java"))
                            .forEach(file -> sizes.merge(ROOT.relativize(file.getParent()), 1L, Long::sum));
                }
            }
        }
        assertThat(sizes).hasSizeGreaterThan(30);
        assertThat(sizes.entrySet())
                .filteredOn(each -> each.getValue() > MAX_FILES)
                .isEmpty();
    }

    @Test
    void onlyCliPrintsAndExits() {
        noClasses()
                .that()
                .resideOutsideOfPackage("mayfly.cli..")
                .should()
                .accessField(System.class, "out")
                .orShould()
                .accessField(System.class, "err")
                .orShould()
                .callMethod(System.class, "exit", int.class)
                .orShould()
                .callMethod(Runtime.class, "halt", int.class)
                .orShould()
                .callMethod(Throwable.class, "printStackTrace")
                .check(CLASSES);
    }

    /** They could contain escape sequences, which a terminal executes. */
    @Test
    void answersAndEmissionsOfAProfilerArePrintedAsUntrusted() {
        classes()
                .that()
                .haveFullyQualifiedName("mayfly.cli.command.SendCommand")
                .or()
                .haveFullyQualifiedName("mayfly.cli.output.EmissionPrinter")
                .should()
                .callMethod(Terminal.class, "printUntrusted", byte[].class)
                .check(CLASSES);
    }

    @Test
    void onlyLinuxCallsNativeCode() {
        noClasses()
                .that()
                .resideOutsideOfPackage("mayfly.linux..")
                .should()
                .dependOnClassesThat()
                .haveFullyQualifiedName("java.lang.foreign.Linker")
                .orShould()
                .dependOnClassesThat()
                .haveFullyQualifiedName("java.lang.foreign.SymbolLookup")
                .check(CLASSES);
    }

    /** Commands open processes through discovery; from linux they use only files and properties of this machine. */
    @Test
    void cliUsesOnlyFileAndSystemFactPackagesOfLinux() {
        noClasses()
                .that()
                .resideInAPackage("mayfly.cli..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("mayfly.linux", "mayfly.linux.trace..", "mayfly.linux.perf..", "mayfly.linux.bpf..")
                .check(CLASSES);
    }

    /**
     * Names in other users' directories, and ids of requests, come from getrandom(2), because other generators are
     * predictable.
     */
    @Test
    void namesAndIdsUseNoPredictableRandomGenerator() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        "mayfly.linux..",
                        "mayfly.attach..",
                        "mayfly.host..",
                        "mayfly.discovery..",
                        "mayfly.record..",
                        "mayfly.stack..",
                        "mayfly.audit..",
                        "mayfly.cli..")
                .and()
                .resideOutsideOfPackage("mayfly.cli.demo")
                .should()
                .dependOnClassesThat()
                .haveFullyQualifiedName("java.util.Random")
                .orShould()
                .dependOnClassesThat()
                .haveFullyQualifiedName("java.util.SplittableRandom")
                .orShould()
                .dependOnClassesThat()
                .haveFullyQualifiedName("java.util.concurrent.ThreadLocalRandom")
                .orShould()
                .callMethod(Math.class, "random")
                .check(CLASSES);
    }

    @Test
    void onlyDiscoveryUsesHotSpotExceptThatAuditUsesItsInventory() {
        noClasses()
                .that()
                .resideInAnyPackage("mayfly.record..", "mayfly.stack..", "mayfly.attach..", "mayfly.cli..")
                .should()
                .dependOnClassesThat(resideInAPackage("mayfly.hotspot.."))
                .check(CLASSES);
        noClasses()
                .that()
                .resideInAPackage("mayfly.audit..")
                .should()
                .dependOnClassesThat(resideInAPackage("mayfly.hotspot..")
                        .and(resideInAPackage("mayfly.hotspot.inventory..").negate()))
                .check(CLASSES);
    }

    /** All other classes use {@code Architecture}: a new CPU changes only these packages, {@code SiteDecoders}
     * and {@code Cpu}. */
    @Test
    void onlyHotSpotFramesAndSystemCallsDependOnASingleCpu() {
        noClasses()
                .that()
                .resideOutsideOfPackages("mayfly.arch..", "mayfly.hotspot.frames.*", "mayfly.linux.x86")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("mayfly.arch.*")
                .check(CLASSES);
    }

    /** Another CPU needs a package beside it, and its row in {@code Cpu}. */
    @Test
    void onlyTheChoiceOfTheCpuNamesAPackageOfLinuxForACpu() {
        noClasses()
                .that()
                .resideOutsideOfPackage("mayfly.linux.x86")
                .and()
                .doNotHaveFullyQualifiedName("mayfly.linux.sys.Cpu")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("mayfly.linux.x86")
                .check(CLASSES);
    }

    @Test
    void demoProgramDoesNotDependOnMayfly() {
        noClasses()
                .that()
                .resideInAPackage("mayfly.cli.demo")
                .should()
                .dependOnClassesThat(resideInAPackage("mayfly..")
                        .and(resideInAPackage("mayfly.cli.demo").negate()))
                .check(CLASSES);
    }
}
