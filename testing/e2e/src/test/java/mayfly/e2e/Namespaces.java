package mayfly.e2e;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Project;

/** JVMs in private namespaces. Each namespace ends with its JVM. A test that cannot create one is skipped. */
final class Namespaces {
    private static final List<String> NEW_PIDS = List.of("unshare", "--pid", "--fork", "--kill-child", "--mount-proc");
    private static final List<String> NEW_MOUNTS = List.of("unshare", "--mount", "--propagation", "private");
    private static final List<String> NEW_PIDS_AND_MOUNTS =
            List.of("unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "--propagation", "private");
    /** In the new root the JDK's folder is an absolute link; outside, no file has that name. */
    private static final String NEW_ROOT = "root=$1; jdk=$2; classes=$3; user=$4; shift 5;"
            + " for d in etc usr lib lib64 dev proc; do mkdir -p $root/$d; mount --rbind /$d $root/$d || exit 99; done;"
            + " mkdir -p $root/tmp $root/classes $root/jdk $root/current/bin; chmod 1777 $root/tmp; ln -s usr/bin"
            + " $root/bin;"
            + " mount --bind $jdk $root/jdk || exit 99;"
            + " mount --bind $classes $root/classes; name=worker; [ ! -d $jdk/libc ] || name=java;"
            + " for e in $jdk/*; do [ $e = $jdk/bin ] || ln -s /jdk/${e##*/} $root/current; done;"
            + " cp $jdk/bin/java $root/current/bin/$name;"
            + " exec chroot --userspec=$user $root /current/bin/$name \"$@\"";

    private Namespaces() {}

    static Jvm.Plan newPids(Jvm.Plan plan) {
        return plan.under(working(NEW_PIDS));
    }

    /** Starts the JVM in a private root directory below {@code home}, as a user given as {@code uid:gid}. */
    static Jvm.Plan newRoot(Jvm.Plan plan, Jdk jdk, Path home, String user) throws IOException {
        return inNewRoot(plan, jdk, home, user, NEW_MOUNTS);
    }

    /** Does the same with private process ids, too. */
    static Jvm.Plan newRootAndPids(Jvm.Plan plan, Jdk jdk, Path home, String user) throws IOException {
        return inNewRoot(plan, jdk, home, user, NEW_PIDS_AND_MOUNTS);
    }

    /**
     * Starts the JVM with a private {@code /tmp}, mounted with these tmpfs options. It does not show the files of the
     * other /tmp.
     */
    static Jvm.Plan newTmp(Jvm.Plan plan, String options) {
        return plan.classPath("/mnt")
                .under(working(NEW_MOUNTS))
                .under(
                        "sh",
                        "-c",
                        "mount --bind " + classes() + " /mnt && mount -t tmpfs -o " + options
                                + " none /tmp || exit 99; exec \"$@\"",
                        "sh");
    }

    private static Path classes() {
        return Path.of(Project.targetClassPath().split(":")[0]);
    }

    /** Returns the pid of the JVM if the started program is a parent that waits for it. */
    static long child(Jvm jvm) {
        return ProcessHandle.of(jvm.pid())
                .orElseThrow()
                .children()
                .findFirst()
                .orElseThrow()
                .pid();
    }

    private static String[] working(List<String> prefix) {
        Privileges.assumeRoot("to make namespaces");
        Denial.assumeWorks(prefix);
        return prefix.toArray(String[]::new);
    }

    private static Jvm.Plan inNewRoot(Jvm.Plan plan, Jdk jdk, Path home, String user, List<String> namespaces)
            throws IOException {
        Path root = Files.createDirectory(home.resolve("root"));
        // The mounts are in a private namespace, and end with the JVM.
        return plan.classPath("/classes")
                .under(working(namespaces))
                .under(
                        "sh",
                        "-c",
                        NEW_ROOT,
                        "sh",
                        root.toString(),
                        jdk.home().toString(),
                        classes().toString(),
                        user);
    }
}
