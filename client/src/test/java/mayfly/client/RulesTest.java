package mayfly.client;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Rules for a library that runs in other people's programs. */
class RulesTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("mayfly.client");

    @Test
    void libraryNeitherPrintsNorLogsNorExits() {
        noClasses()
                .should()
                .accessField(System.class, "out")
                .orShould()
                .accessField(System.class, "err")
                .orShould()
                .callMethod(System.class, "exit", int.class)
                .orShould()
                .callMethod(Runtime.class, "exit", int.class)
                .orShould()
                .callMethod(Runtime.class, "halt", int.class)
                .orShould()
                .callMethod(Throwable.class, "printStackTrace")
                .orShould()
                .dependOnClassesThat()
                .haveFullyQualifiedName("java.lang.System$Logger")
                .orShould()
                .dependOnClassesThat()
                .resideInAPackage("java.util.logging..")
                .check(CLASSES);
    }

    @Test
    void libraryStartsNoThreads() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .haveFullyQualifiedName("java.util.concurrent.Executors")
                .orShould()
                .dependOnClassesThat()
                .haveFullyQualifiedName("java.util.concurrent.CompletableFuture")
                .orShould()
                .callMethod(Thread.class, "start")
                .orShould()
                .callMethod(Runtime.class, "addShutdownHook", Thread.class)
                .check(CLASSES);
    }

    @Test
    void libraryDependsOnTheJdkOnly() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideOutsideOfPackages("java..", "mayfly.client..", "org.jspecify..")
                .check(CLASSES);
    }

    @Test
    void packagesHaveNoCycles() {
        slices().matching("mayfly.(**)").should().beFreeOfCycles().check(CLASSES);
    }
}
