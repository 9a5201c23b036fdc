package mayfly.host.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import mayfly.host.log.LoggedModules.Change;
import mayfly.host.log.LoggedModules.Logged;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lines as JDK 17 and 25 have logged them. */
class LoggedModulesTest {
    private final LoggedModules modules = new LoggedModules();

    private Change define(String name, String loader) {
        return modules.read("define_module(): creation of module: " + name + ", version: NULL, location: file:///m/, "
                + "loader data: 0x" + loader + " for instance a 'jdk/internal/loader/Loader'{0x000000069ed21e10}, "
                + "package #: 1");
    }

    private Change unload(String loader) {
        return modules.read("unloadloader data: 0x" + loader + " of jdk.internal.loader.Loader @1be6f5c3");
    }

    @Test
    void definedModuleIsPresentUntilItsLoaderIsUnloaded() {
        assertThat(define("mod.x", "00007f2c34135250")).isEqualTo(new Change(true, List.of(new Logged(-1, "mod.x"))));
        assertThat(modules.get(-1)).isEqualTo(new Logged(-1, "mod.x"));
        assertThat(modules.present()).containsExactly(new Logged(-1, "mod.x"));
        assertThat(unload("00007f2c34135250")).isEqualTo(new Change(false, List.of(new Logged(-1, "mod.x"))));
        assertThat(modules.get(-1)).isNull();
        assertThat(modules.present()).isEmpty();
    }

    @Test
    void moduleOfTheBootLoaderIsDefined() {
        assertThat(modules.read("define_module(): creation of module: m, version: 1, location: null, loader data: "
                        + "0x00007f2c34135250 of 'bootstrap', package #: 0"))
                .isEqualTo(new Change(true, List.of(new Logged(-1, "m"))));
    }

    /** Their names alone do not distinguish them. */
    @Test
    void modulesOfOneNameAreDistinguishedByTheirLoaders() {
        define("mod.x", "10");
        define("mod.x", "20");
        define("mod.y", "20");
        assertThat(unload("20"))
                .isEqualTo(new Change(false, List.of(new Logged(-2, "mod.x"), new Logged(-3, "mod.y"))));
        assertThat(modules.present()).containsExactly(new Logged(-1, "mod.x"));
    }

    @Test
    void loaderWithoutKnownModulesIsNoChange() {
        assertThat(unload("30")).isEqualTo(new Change(false, List.of()));
    }

    @Test
    void addressThatIsUsedAgainIsANewLoader() {
        define("mod.x", "10");
        unload("10");
        define("mod.x", "10");
        assertThat(unload("10")).isEqualTo(new Change(false, List.of(new Logged(-2, "mod.x"))));
    }

    @Test
    void clearedModulesAreUnknownAndTheirNumbersAreNotUsedAgain() {
        define("mod.x", "10");
        modules.clear();
        assertThat(modules.get(-1)).isNull();
        assertThat(unload("10")).isEqualTo(new Change(false, List.of()));
        assertThat(define("mod.x", "10")).isEqualTo(new Change(true, List.of(new Logged(-2, "mod.x"))));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "unloadloader data: 0x",
                "unloadloader data: 0xZ",
                "unloadloader data: 0x00000000000000001",
                "define_module(): creation of module: , version: 1, loader data: 0x1",
                "define_module(): creation of module: m, loader data: 0x1",
                "define_module(): creation of module: m, version: 1, loader data: 0x",
                "define_module(): creation of module: m, version: 1",
                "creation of module: m, version: 1, loader data: 0x1",
            })
    void otherLineIsNotUnderstood(String line) {
        assertThat(modules.read(line)).isNull();
        assertThat(modules.present()).isEmpty();
    }
}
