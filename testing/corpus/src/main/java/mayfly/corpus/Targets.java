package mayfly.corpus;

import java.util.ArrayList;
import java.util.List;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;

/**
 * A process to record walks of.
 *
 * @param name the folder of its cases
 * @param plan how to start it
 */
record Targets(String name, Jvm.Plan plan) {

    /** Those that have the features we want, on every JDK that is installed. */
    static List<Targets> all() {
        List<Targets> all = new ArrayList<>();
        for (Jdk jdk : Jdk.oneOfEach()) {
            String on = "jdk" + jdk.feature() + "-";
            all.add(new Targets(on + "mix", Jvm.run("Stress").on(jdk).args("mix")));
            all.add(new Targets(on + "intrinsics", Jvm.run("Stress").on(jdk).args("intrinsics")));
            all.add(new Targets(on + "int", Jvm.run("Stress").on(jdk).with("-Xint").args("reflection")));
            all.add(new Targets(on + "c1", Jvm.run("Stress").on(jdk).with("-XX:TieredStopAtLevel=1").args("mix")));
            all.add(new Targets(on + "zgc", Jvm.run("Stress").on(jdk).with("-XX:+UseZGC", "-Xmx256m")
                    .args("exceptions")));
            if (jdk.feature() >= 21) {
                all.add(new Targets(on + "virtual", Jvm.run("Stress").on(jdk).args("virtual")));
            }
        }
        return all;
    }
}
