package mayfly.targets;

/** The shortest program: it prints a line. */
public final class Hello {
    private Hello() {}

    public static void main(String[] args) {
        System.out.println("hello");
    }
}
