package mayfly.host.code;

/**
 * The methods or the fields that a class declares, as the library returns them: an {@code int[]} with the number, the
 * modifiers and the code size of each, then the name and the descriptor of each.
 */
public final class MemberTable {
    /** In place of the number of one member: all of them. */
    public static final int ALL = -1;

    private static final int NUMBERS = 3;
    private static final int MODIFIERS = 1;
    private static final int CODE_SIZE = 2;

    private static final int TEXTS = 2;

    private final int[] numbers;
    private final Object[] members;

    /** @param members the result of the library; an empty array for a class that declares none */
    public MemberTable(Object[] members) {
        this.members = members;
        this.numbers = members.length == 0 ? new int[0] : (int[]) members[0];
    }

    /** Returns the number of members. */
    public int size() {
        return numbers.length / NUMBERS;
    }

    /** Returns the number of a member in its class. */
    public int number(int at) {
        return numbers[NUMBERS * at];
    }

    /** Returns the access flags of the class file. */
    public int modifiers(int at) {
        return numbers[NUMBERS * at + MODIFIERS];
    }

    /** Returns the bytes of a method's code; 0 for a field. */
    public int codeSize(int at) {
        return numbers[NUMBERS * at + CODE_SIZE];
    }

    public String name(int at) {
        return (String) members[TEXTS * at + 1];
    }

    public String descriptor(int at) {
        return (String) members[TEXTS * at + 2];
    }
}
