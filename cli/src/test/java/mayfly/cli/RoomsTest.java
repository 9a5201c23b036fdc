package mayfly.cli;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** What module-info cannot say of the rooms; and its arrows once more, from the classes. */
class RoomsTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("mayfly");

    @Test
    void onlyCliPrintsAndExits() {
        noClasses().that().resideOutsideOfPackage("mayfly.cli..")
                .should().accessField(System.class, "out")
                .orShould().accessField(System.class, "err")
                .orShould().callMethod(System.class, "exit", int.class)
                .orShould().callMethod(Runtime.class, "halt", int.class)
                .orShould().callMethod(Throwable.class, "printStackTrace")
                .check(CLASSES);
    }

    @Test
    void onlyLinuxCallsNativeCode() {
        noClasses().that().resideOutsideOfPackage("mayfly.linux..")
                .should().dependOnClassesThat().haveFullyQualifiedName("java.lang.foreign.Linker")
                .orShould().dependOnClassesThat().haveFullyQualifiedName("java.lang.foreign.SymbolLookup")
                .check(CLASSES);
    }

    /** Names in folders of others, and ids of requests, come from getrandom(2): those of other generators can be predicted. */
    @Test
    void namesAndIdsComeFromNoPredictableGenerator() {
        noClasses().that().resideInAnyPackage("mayfly.linux..", "mayfly.attach..", "mayfly.host..", "mayfly.discovery..", "mayfly.record..", "mayfly.stack..", "mayfly.cli")
                .should().dependOnClassesThat().haveFullyQualifiedName("java.util.Random")
                .orShould().dependOnClassesThat().haveFullyQualifiedName("java.util.SplittableRandom")
                .orShould().dependOnClassesThat().haveFullyQualifiedName("java.util.concurrent.ThreadLocalRandom")
                .orShould().callMethod(Math.class, "random")
                .check(CLASSES);
    }

    @Test
    void theArrowsAreThoseOfTheDesign() {
        var rooms = layeredArchitecture().consideringOnlyDependenciesInLayers();
        for (String room : new String[] {"profile", "arch", "process", "binary", "runtime", "hotspot", "unwind", "linux", "sampler",
            "report", "api", "host", "attach", "cli"}) {
            rooms = rooms.optionalLayer(room).definedBy("mayfly." + room + "..");
        }
        rooms
                .whereLayer("profile").mayNotAccessAnyLayer()
                .whereLayer("arch").mayNotAccessAnyLayer()
                .whereLayer("process").mayOnlyAccessLayers("arch")
                .whereLayer("binary").mayNotAccessAnyLayer()
                .whereLayer("runtime").mayOnlyAccessLayers("arch", "process", "profile")
                .whereLayer("hotspot").mayOnlyAccessLayers("runtime", "binary", "arch", "process", "profile")
                .whereLayer("unwind").mayOnlyAccessLayers("runtime", "binary", "arch", "process", "profile")
                .whereLayer("linux").mayOnlyAccessLayers("arch", "process")
                .whereLayer("sampler").mayOnlyAccessLayers("linux", "unwind", "hotspot", "runtime", "binary", "process",
                        "profile")
                .whereLayer("report").mayOnlyAccessLayers("profile")
                .whereLayer("api").mayNotAccessAnyLayer()
                .whereLayer("host").mayOnlyAccessLayers("api")
                .whereLayer("attach").mayOnlyAccessLayers("linux", "hotspot", "runtime", "binary", "process",
                        "profile", "host", "api")
                .whereLayer("cli").mayOnlyAccessLayers("sampler", "attach", "report", "profile", "api")
                .check(CLASSES);
    }

    @Test
    void theDemoProgramKnowsNothingOfTheRest() {
        noClasses().that().resideInAPackage("mayfly.cli.demo")
                .should().dependOnClassesThat(resideInAPackage("mayfly..").and(
                        resideInAPackage("mayfly.cli.demo").negate()))
                .check(CLASSES);
    }
}
