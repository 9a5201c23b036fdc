package mayfly.runtime;

import java.util.List;

/**
 * The libraries of one kind of runtime in a process.
 *
 * @param libraries one for each library, in the order in which the loader received them
 * @param others the starts of runtimes whose library is unknown; they are numbered too, so that they do not
 *         change the ids of the runtimes that can be read
 */
public record Examination(List<? extends ExaminedLibrary> libraries, List<RuntimeStart> others) {
    public Examination {
        libraries = List.copyOf(libraries);
        others = List.copyOf(others);
    }
}
