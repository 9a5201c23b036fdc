package mayfly.unwind;

import java.util.ArrayList;
import java.util.List;
import mayfly.process.Mapping;
import mayfly.process.TargetProcess;

/** Groups mappings into modules. */
final class Modules {
    private Modules() {}

    /**
     * Returns the files that have code. The mappings of a module are adjacent and their offsets do not decrease;
     * anonymous memory may lie between them. A lower offset starts another module of the same file.
     */
    static List<NativeModule> in(TargetProcess process, List<Mapping> mappings) {
        List<NativeModule> modules = new ArrayList<>();
        List<Mapping> run = new ArrayList<>();
        for (Mapping mapping : mappings) {
            if (!mapping.isFile() && !NativeModule.isVdso(mapping)) {
                continue;
            }
            if (!run.isEmpty() && !continues(run.getLast(), mapping)) {
                close(process, run, modules);
            }
            run.add(mapping);
        }
        close(process, run, modules);
        return modules;
    }

    private static boolean continues(Mapping last, Mapping next) {
        return last.inode() == next.inode()
                && last.device().equals(next.device())
                && last.path().equals(next.path())
                && next.offset() >= last.offset()
                && (next.offset() > 0 || next.start() == last.end());
    }

    private static void close(TargetProcess process, List<Mapping> run, List<NativeModule> modules) {
        if (run.stream().anyMatch(Mapping::executable)) {
            modules.add(new NativeModule(process, run));
        }
        run.clear();
    }
}
