package mayfly.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;
import mayfly.profile.Frame;
import mayfly.profile.Profile;
import mayfly.profile.RuntimeId;
import mayfly.report.tree.CallTree;
import mayfly.report.tree.Colour;
import mayfly.report.tree.ConversionOptions;
import mayfly.report.tree.Kind;
import org.junit.jupiter.api.Test;

/** Frames of runtimes other than HotSpot: each tier is shown with the runtime's own word. */
class OtherRuntimesTest {
    static Frame coreClr(String tier, String method) {
        return new Frame.Managed(
                new RuntimeId(2), "csharp", Frame.Managed.COMPILED, tier, "Shop.Orders", method, "", -1, -1);
    }

    private static Frame python(String kind, String tier, String function) {
        return new Frame.Managed(new RuntimeId(3), "python", kind, tier, "", function, "", -1, -1);
    }

    private static CallTree tree(Frame... frames) throws IOException {
        Profile profile =
                new RecordingBuilder().stack("main", 1, List.of(frames)).profile();
        return CallTree.of(profile, ConversionOptions.DEFAULT);
    }

    private static List<String> labels(CallTree tree) {
        return IntStream.range(1, tree.size())
                .mapToObj(node -> tree.kindOf(node).label())
                .toList();
    }

    @Test
    void aCompiledFrameOfCoreClrHasTheWordOfItsTier() throws IOException {
        CallTree tree = tree(coreClr("R2R", "Main"), coreClr("Tier0", "Add"), coreClr("Tier1", "Sum"));
        assertThat(labels(tree)).containsExactly("R2R", "Tier0", "Tier1");
        assertThat(tree.leafWeight(tree.kindOf(3))).isEqualTo(tree.total());
        assertThat(IntStream.range(1, 4).mapToObj(tree::kindOf))
                .allMatch(kind -> kind.isManaged() && kind.colour() == Colour.COMPILED);
        assertThat(tree.leafWeight(Kind.C2)).isZero();
    }

    @Test
    void aCompiledFrameWithoutATierIsCompiled() throws IOException {
        assertThat(tree(coreClr("", "Main")).kindOf(1)).isEqualTo(Kind.COMPILED);
    }

    @Test
    void aFrameOfCPythonIsInterpretedAndItsTierIsShownIfItHasOne() throws IOException {
        CallTree tree = tree(
                python(Frame.Managed.INTERPRETED, "", "run"), python(Frame.Managed.INTERPRETED, "specialized", "loop"));
        assertThat(tree.kindOf(1)).isEqualTo(Kind.INTERPRETED);
        assertThat(tree.kindOf(2).label()).isEqualTo("specialized");
        assertThat(tree.kindOf(2).colour()).isEqualTo(Colour.INTERPRETED);
    }

    @Test
    void aFrameOfAnUnknownKindIsAMethodWithThatKind() throws IOException {
        CallTree tree = tree(python("traced", "", "run"));
        assertThat(labels(tree)).containsExactly("traced");
        assertThat(tree.kindOf(1).isManaged()).isTrue();
    }

    @Test
    void aMethodInTwoTiersOfItsRuntimeIsOneNodeWithTheWeightOfEach() throws IOException {
        Profile profile = new RecordingBuilder()
                .stack("main", 3, List.of(coreClr("Tier1", "Sum")))
                .stack("main", 1, List.of(coreClr("Tier0", "Sum")))
                .profile();
        CallTree tree = CallTree.of(profile, ConversionOptions.DEFAULT);
        assertThat(tree.size()).isEqualTo(2);
        assertThat(tree.kindOf(1).label()).isEqualTo("Tier1");
        long[] mix = tree.mixOf(1);
        assertThat(mix[labelled(tree, "Tier1")])
                .isEqualTo(3 * mix[labelled(tree, "Tier0")])
                .isPositive();
    }

    private static int labelled(CallTree tree, String label) {
        return tree.kinds().stream().map(Kind::label).toList().indexOf(label);
    }

    @Test
    void aHostileNumberOfTiersIsBoundedAndTheRestIsCompiled() throws IOException {
        Frame[] frames = IntStream.range(0, 1000)
                .mapToObj(i -> coreClr("tier" + i, "m" + i))
                .toArray(Frame[]::new);
        CallTree tree = tree(frames);
        assertThat(tree.kinds()).hasSizeLessThan(50);
        assertThat(tree.kindOf(1).label()).isEqualTo("tier0");
        assertThat(tree.kindOf(1000)).isEqualTo(Kind.COMPILED);
        assertThat(tree.leafWeight(Kind.COMPILED)).isEqualTo(tree.total());
    }
}
