package mayfly.e2e;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/**
 * A second implementation of the core of the contract: the states of a profiler, the status of each request, the event
 * mask and the order of the callbacks. It shares no code with the host.
 */
final class ContractModel {
    /** The events in the profiler's manifest. */
    static final String LISTED = "THREADS, CLASS_LOADS, GARBAGE_COLLECTIONS, SUSPENSIONS, STACK_SNAPSHOTS, EXCEPTIONS";

    /** A request of a user, a call of the profiler, or an action of the program. */
    enum Request {
        /** Attaches the profiler with a script. */
        ATTACH(
                "",
                "THREADS",
                "CLASS_LOADS GARBAGE_COLLECTIONS",
                "SUSPENSIONS THREADS",
                "throw",
                "decline",
                "throw-complete",
                "detach-at-once",
                "EXCEPTIONS",
                "MODULE_LOADS"),
        ECHO("words"),
        /** Replaces the event mask, and reads it. */
        MASK(
                "",
                "THREADS",
                "CLASS_LOADS",
                "GARBAGE_COLLECTIONS",
                "SUSPENSIONS",
                "STACK_SNAPSHOTS",
                "EXCEPTIONS",
                "MODULE_LOADS"),
        STATUS(""),
        /** The program starts and ends a thread, or loads a class. */
        PROGRAM("thread", "load"),
        /** A user requests a detach. */
        DETACH(""),
        /** The profiler requests its detach, once or twice. */
        DETACH_ITSELF("detach", "detach-twice");

        private final List<String> arguments;

        Request(String... arguments) {
            this.arguments = List.of(arguments);
        }
    }

    /** A request with an argument. */
    record Step(Request request, String argument) {
        /** Returns a random step. Requests that change nothing are the most frequent. */
        static Step random(Random random) {
            Request[] all = Request.values();
            Request request = random.nextInt(3) == 0
                    ? all[random.nextInt(all.length)]
                    : List.of(Request.ECHO, Request.MASK, Request.STATUS, Request.PROGRAM)
                            .get(random.nextInt(4));
            return new Step(request, request.arguments.get(random.nextInt(request.arguments.size())));
        }
    }

    private boolean attached;
    private Set<String> mask = new TreeSet<>();
    private final List<String> callbacks = new ArrayList<>();

    /** Returns the callbacks for the start and end of a profiler's life, in their order. */
    List<String> callbacks() {
        return List.copyOf(callbacks);
    }

    boolean isAttached() {
        return attached;
    }

    /** Takes a step, and returns the outcome. */
    String take(Step step) {
        return switch (step.request()) {
            case ATTACH -> attach(step.argument());
            case ECHO -> attached ? "words" : "NO_PROFILER";
            case MASK -> mask(step.argument());
            case STATUS -> attached ? "active" : "none";
            case PROGRAM -> program(step.argument());
            case DETACH -> detach();
            case DETACH_ITSELF ->
                !attached
                        ? "NO_PROFILER"
                        : step.argument().equals("detach")
                                ? end("OK")
                                : end("OK PROFILER_DETACHING PROFILER_DETACHING");
        };
    }

    private String attach(String script) {
        if (attached) {
            return "PROFILER_ALREADY_ACTIVE";
        }
        callbacks.add("initializeForAttach");
        switch (script) {
            case "throw":
                return "FAILED";
            case "decline":
                return "PROFILER_CANCEL_ACTIVATION";
            case "EXCEPTIONS", "MODULE_LOADS":
                return "UNSUPPORTED_FOR_ATTACHING_PROFILER";
            case "throw-complete":
                callbacks.add("profilerAttachComplete");
                callbacks.add("profilerDetachSucceeded");
                return "FAILED";
            default:
        }
        callbacks.add("profilerAttachComplete");
        attached = true;
        mask = new TreeSet<>(
                script.isEmpty() || script.equals("detach-at-once") ? Set.of() : Set.of(script.split(" ")));
        return "OK";
    }

    private String mask(String event) {
        if (!attached) {
            return "NO_PROFILER";
        }
        if (event.equals("EXCEPTIONS") || event.equals("MODULE_LOADS")) {
            return "UNSUPPORTED_FOR_ATTACHING_PROFILER " + mask;
        }
        mask = new TreeSet<>(event.isEmpty() ? Set.of() : Set.of(event));
        return "OK " + mask;
    }

    private String program(String action) {
        if (!attached) {
            return "unseen";
        }
        return mask.contains(action.equals("thread") ? "THREADS" : "CLASS_LOADS") ? "reported" : "not reported";
    }

    private String detach() {
        if (!attached) {
            return "NO_PROFILER";
        }
        callbacks.add("detachRequested");
        return end("gone");
    }

    private String end(String outcome) {
        callbacks.add("profilerDetachSucceeded");
        attached = false;
        mask = new TreeSet<>();
        return outcome;
    }
}
