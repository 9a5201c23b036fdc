package mayfly.host.id;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Names of classes, compared with those of the JDK. */
class ClassSignatureTest {

    @Test
    void nameIsThatOfTheClassAlsoOfAHiddenOne() {
        Runnable hidden = () -> {};
        assertThat(hidden.getClass().isHidden()).isTrue();
        assertThat(List.of(
                        hidden.getClass(),
                        hidden.getClass().arrayType(),
                        String.class,
                        Map.Entry.class,
                        String[][].class,
                        int[].class))
                .allSatisfy(type -> assertThat(ClassSignature.className(type.descriptorString()))
                        .isEqualTo(type.getName()));
    }

    @Test
    void classWithoutASignatureHasNoName() {
        assertThat(ClassSignature.className(null)).isEmpty();
        assertThat(ClassSignature.className("")).isEmpty();
        assertThat(ClassSignature.className("L")).isEmpty();
    }
}
