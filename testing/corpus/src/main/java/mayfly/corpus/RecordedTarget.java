package mayfly.corpus;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;

/**
 * A process whose walks are recorded.
 *
 * @param name the folder of its cases
 * @param plan the plan to start it
 * @param wanted the pattern of the features to record from it
 */
record RecordedTarget(String name, Jvm.Plan plan, Pattern wanted) {
    private static final Pattern ANY = Pattern.compile(".*");
    private static final Pattern LEAVES = Pattern.compile("leaf-(c1|c2|inlined)");
    private static final Pattern SIGNALS = Pattern.compile(".*signal.*");
    private static final Pattern BARRIERS = Pattern.compile("into-vm-(z|shenandoah).*|.*barrier.*");

    RecordedTarget(String name, Jvm.Plan plan) {
        this(name, plan, ANY);
    }

    boolean takesAll() {
        return wanted == ANY;
    }

    /** Returns the targets with the wanted features, on every installed JDK. */
    static List<RecordedTarget> all() {
        List<RecordedTarget> all = new ArrayList<>();
        for (Jdk jdk : Jdk.oneOfEach()) {
            String on = "jdk" + jdk.feature() + "-";
            all.add(new RecordedTarget(on + "mix", Jvm.run("Stress").on(jdk).args("mix")));
            all.add(new RecordedTarget(
                    on + "intrinsics", Jvm.run("Stress").on(jdk).args("intrinsics")));
            all.add(new RecordedTarget(
                    on + "int", Jvm.run("Stress").on(jdk).with("-Xint").args("reflection")));
            all.add(new RecordedTarget(
                    on + "c1",
                    Jvm.run("Stress").on(jdk).with("-XX:TieredStopAtLevel=1").args("mix")));
            all.add(new RecordedTarget(
                    on + "zgc",
                    Jvm.run("Stress")
                            .on(jdk)
                            .with("-XX:+UnlockExperimentalVMOptions", "-XX:+UseZGC", "-Xmx256m")
                            .args("exceptions")));
            // A small case for each JDK, so that the replay covers the structures of each JDK.
            all.add(new RecordedTarget(on + "busy", Jvm.run("Busy").on(jdk), LEAVES));
            all.add(new RecordedTarget(
                    on + "signal", Jvm.run("Stress").on(jdk).with("-Xint").args("implicit"), SIGNALS));
            all.add(new RecordedTarget(
                    on + "zgc-barriers",
                    Jvm.run("Stress")
                            .on(jdk)
                            .with("-XX:+UnlockExperimentalVMOptions", "-XX:+UseZGC", "-Xmx128m")
                            .args("mix"),
                    BARRIERS));
            all.add(new RecordedTarget(
                    on + "shenandoah",
                    Jvm.run("Stress")
                            .on(jdk)
                            .with("-XX:+UseShenandoahGC", "-Xmx128m")
                            .args("mix"),
                    BARRIERS));
            if (jdk.feature() >= 21) {
                all.add(new RecordedTarget(
                        on + "virtual", Jvm.run("Stress").on(jdk).args("virtual")));
            }
        }
        return all;
    }
}
