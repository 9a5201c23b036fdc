package mayfly.targets;

/**
 * A program that runs beside another one in the same process and uses no streams: it computes, allocates, and
 * dereferences null, which raises a signal.
 */
public final class SecondJvmLoad {
    private static final Object[] SOME = {"", null, "", ""};
    private static volatile byte[] last = {};

    private SecondJvmLoad() {}

    public static void main(String[] args) {
        Thread.currentThread().setName("aside");
        for (int i = 0; ; i++) {
            Work.sink = Work.spin(100_000, i) + signals(i);
        }
    }

    private static int signals(int from) {
        int count = 0;
        for (int i = from; i < from + SOME.length; i++) {
            try {
                last = new byte[1000];
                count += last.length + SOME[i & 3].hashCode();
            } catch (NullPointerException e) {
                count--;
            }
        }
        return count;
    }
}
