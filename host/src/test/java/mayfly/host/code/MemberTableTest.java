package mayfly.host.code;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The library's form of the members of a class. */
class MemberTableTest {
    @Test
    void eachMemberHasItsNumbersAndTexts() {
        var table = new MemberTable(
                new Object[] {new int[] {7, 9, 11, 3, 18, 0}, "main", "([Ljava/lang/String;)V", "count", "J"});
        assertThat(table.size()).isEqualTo(2);
        assertThat(table.number(0)).isEqualTo(7);
        assertThat(table.modifiers(0)).isEqualTo(9);
        assertThat(table.codeSize(0)).isEqualTo(11);
        assertThat(table.name(0)).isEqualTo("main");
        assertThat(table.descriptor(0)).isEqualTo("([Ljava/lang/String;)V");
        assertThat(table.number(1)).isEqualTo(3);
        assertThat(table.modifiers(1)).isEqualTo(18);
        assertThat(table.codeSize(1)).isZero();
        assertThat(table.name(1)).isEqualTo("count");
        assertThat(table.descriptor(1)).isEqualTo("J");
    }

    @Test
    void tableOfAClassWithoutMembersIsEmpty() {
        assertThat(new MemberTable(new Object[0]).size()).isZero();
        assertThat(new MemberTable(new Object[] {new int[0]}).size()).isZero();
    }
}
