package mayfly.record;

import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import mayfly.discovery.InspectedProcess;
import mayfly.unwind.NativeModule;

/** The build ids of the libraries of a target, by the names that its frames give them. */
final class BuildIds implements UnaryOperator<String> {
    private final InspectedProcess target;

    BuildIds(InspectedProcess target) {
        this.target = target;
    }

    /** The build id in hexadecimal, empty if the library has none or cannot be read. */
    @Override
    public String apply(String library) {
        return Stream.concat(Stream.of(target.code()), target.formerCode().stream())
                .flatMap(code -> code.modules().stream())
                .filter(module -> module.library().equals(library))
                .map(NativeModule::buildId)
                .findFirst()
                .orElse("");
    }
}
