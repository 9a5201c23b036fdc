package mayfly.attach.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import mayfly.attach.client.ProfilerJar.ApiPolicy;
import org.junit.jupiter.api.Test;

/** The versions of the api that each policy accepts. */
class ApiPolicyTest {
    private static final int OWN = 3;

    private static List<Integer> accepted(ApiPolicy policy) {
        return List.of(1, 2, OWN, 4, Integer.MAX_VALUE).stream()
                .filter(built -> policy.accepts(built, OWN))
                .toList();
    }

    @Test
    void policyAcceptsItsVersionsOfTheApi() {
        assertThat(accepted(ApiPolicy.SAME)).containsExactly(OWN);
        assertThat(accepted(ApiPolicy.OLDER)).containsExactly(1, 2, OWN);
        assertThat(accepted(ApiPolicy.ANY)).containsExactly(1, 2, OWN, 4, Integer.MAX_VALUE);
    }

    @Test
    void wordsOfThePoliciesAreThoseOfTheCommandLine() {
        assertThat(Arrays.stream(ApiPolicy.values()).map(ApiPolicy::word)).containsExactly("same", "older", "any");
    }
}
