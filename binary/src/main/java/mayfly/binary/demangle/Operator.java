package mayfly.binary.demangle;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An operator: Itanium C++ ABI, 5.1.3.
 *
 * @param code two letters
 * @param symbol the text after the word operator
 * @param operands the number of expressions that it joins; 0 if it has its own syntax
 */
record Operator(String code, String symbol, int operands) {
    private static final Map<String, Operator> ALL = new HashMap<>();

    static {
        String binary = "aN &= aS = aa && an & cm , dV /= ds .* dv / eO ^= eo ^ eq == ge >= gt > lS <<= le <= ls <<"
                + " lt < mI -= mL *= mi - ml * ne != oR |= oo || or | pL += pl + pm ->* rM %= rS >>= rm % rs >> ss <=>";
        String unary = "ad & co ~ de * ng - nt ! ps +";
        String special = "cl () da delete[] dl delete ix [] mm -- na new[] nw new pp ++ pt -> qu ? aw co_await";
        add(binary, 2);
        add(unary, 1);
        add(special, 0);
    }

    private static void add(String pairs, int operands) {
        String[] words = pairs.split(" ");
        for (int i = 0; i < words.length; i += 2) {
            ALL.put(words[i], new Operator(words[i], words[i + 1], operands));
        }
    }

    static @Nullable Operator of(char first, char second) {
        return ALL.get("" + first + second);
    }

    /** Returns the name of the operator function. */
    String asName() {
        return Character.isLetter(symbol.charAt(0)) ? "operator " + symbol : "operator" + symbol;
    }
}
