package mayfly.client.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class JsonObjectTest {
    private static JsonObject json(String text) throws BadJson {
        return JsonObject.parse(text);
    }

    private static void isBad(ThrowingCallable call, String message) {
        assertThatThrownBy(call).isInstanceOf(BadJson.class).hasMessage(message);
    }

    @Test
    void missingFieldIsNamed() throws BadJson {
        JsonObject json = json("{\"a\":1}");
        isBad(() -> json.number("samples"), "there is no field samples");
        isBad(() -> json.text("output"), "there is no field output");
        assertThat(json.has("a")).isTrue();
        assertThat(json.has("b")).isFalse();
    }

    @Test
    void fieldOfAnotherTypeIsNamedWithTheExpectedType() throws BadJson {
        JsonObject json = json("{\"a\":1.5,\"b\":null,\"c\":[1],\"d\":{\"x\":\"1\"},\"e\":[{},2],\"f\":\"2026\"}");
        isBad(() -> json.number("a"), "a is not of the type integer");
        isBad(() -> json.text("b"), "b is not of the type string");
        isBad(() -> json.flag("a"), "a is not of the type boolean");
        isBad(() -> json.texts("c"), "c is not of the type string");
        isBad(() -> json.numbers("d"), "d is not of the type integer");
        isBad(() -> json.objects("e", each -> each), "e is not of the type object");
        isBad(() -> json.object("c"), "c is not of the type object");
        isBad(() -> json.time("f"), "f is not a time");
        isBad(() -> json("[]"), "the text is not of the type object");
        isBad(() -> JsonObject.parseArray("{}", each -> each), "the text is not of the type array");
    }

    @Test
    void negativeNumberIsNotKnown() throws BadJson {
        JsonObject json = json("{\"a\":-1,\"b\":0,\"c\":2147483648}");
        assertThat(json.known("a")).isEmpty();
        assertThat(json.known("b")).hasValue(0);
        assertThat(json.knownInt("a")).isEmpty();
        assertThat(json.knownInt("b")).hasValue(0);
        assertThat(json.knownNanos("a")).isEmpty();
        assertThat(json.knownNanos("c")).hasValue(Duration.ofNanos(2147483648L));
        isBad(() -> json.knownInt("c"), "c is 2147483648");
    }
}
