package mayfly.targets;

import java.io.IOException;

/**
 * Code that a compiler makes with an assumption about the class of an object. {@code warm} runs it for a while with
 * objects of one class; {@code change} runs it with objects of another, so that the assumption is wrong.
 */
public final class Assumptions {
    private static final int CALLS = 200_000;
    private static int sum;

    private Assumptions() {}

    public static void main(String[] args) throws IOException {
        LineProtocol.untilExit("assumptions", Assumptions::answer);
    }

    private static String answer(String line) {
        Object argument = line.equals("change") ? "another class" : (Object) 5;
        for (int i = 0; i < CALLS; i++) {
            sum += outer(i, argument);
        }
        return Integer.toString(sum);
    }

    private static int outer(int number, Object argument) {
        return near(number, argument) + 1;
    }

    private static int near(int number, Object argument) {
        return argument instanceof Integer ? far(number) : far(argument.hashCode() + number);
    }

    private static int far(int number) {
        return number * 31;
    }
}
