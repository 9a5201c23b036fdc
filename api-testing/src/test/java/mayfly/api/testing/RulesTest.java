package mayfly.api.testing;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Rules for a library that runs in other people's tests. */
class RulesTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("mayfly.api.testing");

    @Test
    void kitNeitherPrintsNorExits() {
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
                .check(CLASSES);
    }

    @Test
    void kitDependsOnThePublicTypesOfTheLibraryAndTheJdkOnly() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideOutsideOfPackages("java..", "mayfly.api.testing", "mayfly.client", "org.jspecify..")
                .check(CLASSES);
    }
}
