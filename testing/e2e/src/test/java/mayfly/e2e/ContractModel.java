package mayfly.e2e;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/**
 * A second implementation of the core of the contract: launch and attach, the states of a profiler, the status of each
 * request, the event mask and the order of the callbacks. It shares no code with the host.
 */
final class ContractModel {
    /** The events in the profiler's manifest. */
    static final String LISTED = "THREADS, CLASS_LOADS, GARBAGE_COLLECTIONS, SUSPENSIONS, STACK_SNAPSHOTS, EXCEPTIONS";

    /** A script whose initialisation does not return until {@link Request#RELEASE}. */
    static final String HANG = "hang";

    /** Scripts of a profiler with which the JVM starts. */
    static final List<String> LAUNCHES = List.of(
            "", "CLASS_LOADS THREADS", "EXCEPTIONS", "MODULE_LOADS", "throw", "decline", "throw-complete", HANG);

    /** Follows the state if a detach is overdue. */
    static final String OVERDUE = " overdue";

    private static final String UNSUPPORTED = "UNSUPPORTED_FOR_ATTACHING_PROFILER";
    private static final String IMMUTABLE = "IMMUTABLE_FLAGS";
    private static final String BRIEF = "detach 1";

    /** The states of a profiler that a user can observe. */
    enum State {
        NONE,
        INITIALIZING,
        ACTIVE,
        /** A detach waits for a thread of the profiler. */
        DETACHING
    }

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
                HANG,
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
        /** The profiler requests its detach, once or twice, or announces that it takes a millisecond. */
        DETACH_ITSELF("detach", "detach-twice", BRIEF),
        /** The profiler starts a thread, which prevents the end of a detach. */
        LEAK(""),
        /** The program lets an initialisation return, and such a thread end. */
        RELEASE("");

        private final List<String> arguments;

        Request(String... arguments) {
            this.arguments = List.of(arguments);
        }
    }

    /** A request with an argument. */
    record Step(Request request, String argument) {
        /**
         * Returns a random step. Requests that change nothing are the most frequent. A profiler that is being
         * initialised takes no request, and those that wait for it are left out.
         */
        static Step random(Random random, State state) {
            List<Request> all = state == State.INITIALIZING
                    ? List.of(Request.ATTACH, Request.STATUS, Request.RELEASE)
                    : List.of(Request.values());
            Request request = random.nextInt(3) == 0 || state == State.INITIALIZING
                    ? all.get(random.nextInt(all.size()))
                    : List.of(Request.ECHO, Request.MASK, Request.STATUS, Request.PROGRAM)
                            .get(random.nextInt(4));
            return new Step(request, request.arguments.get(random.nextInt(request.arguments.size())));
        }
    }

    private State state = State.NONE;
    private boolean leaking;
    /** True if the JVM has started with the profiler. */
    private boolean launched;
    /** True if a detach takes longer than was announced. */
    private boolean overdue;

    private Set<String> mask = new TreeSet<>();
    private final List<String> callbacks = new ArrayList<>();

    /** Returns the callbacks for the start and end of a profiler's life, in their order. */
    List<String> callbacks() {
        return List.copyOf(callbacks);
    }

    State state() {
        return state;
    }

    /** Takes a step, and returns the outcome. */
    String take(Step step) {
        return switch (step.request()) {
            case ATTACH -> attach(step.argument());
            case ECHO -> state == State.NONE ? "NO_PROFILER" : "words";
            case MASK -> mask(step.argument());
            case STATUS -> state.name().toLowerCase(Locale.ROOT) + (overdue ? OVERDUE : "");
            case PROGRAM -> program(step.argument());
            case DETACH -> detach();
            case DETACH_ITSELF -> detachItself(step.argument());
            case LEAK -> leak();
            case RELEASE -> release();
        };
    }

    private String attach(String script) {
        if (state != State.NONE) {
            return "PROFILER_ALREADY_ACTIVE";
        }
        callbacks.add("initializeForAttach");
        return script.equals("EXCEPTIONS") ? UNSUPPORTED : initialize(script);
    }

    /** Starts the JVM with a profiler. The user is not told the outcome, but may ask for the state. */
    void launch(String script) {
        callbacks.add("initialize");
        launched = true;
        initialize(script);
        launched = state != State.NONE;
    }

    private String initialize(String script) {
        switch (script) {
            case HANG:
                state = State.INITIALIZING;
                return "TIMEOUT";
            case "throw":
                return "FAILED";
            case "decline":
                return "PROFILER_CANCEL_ACTIVATION";
            case "MODULE_LOADS":
                return UNSUPPORTED;
            case "throw-complete":
                callbacks.add("profilerAttachComplete");
                callbacks.add("profilerDetachSucceeded");
                return "FAILED";
            default:
        }
        activate();
        mask = new TreeSet<>(
                script.isEmpty() || script.equals("detach-at-once") ? Set.of() : Set.of(script.split(" ")));
        return "OK";
    }

    private void activate() {
        callbacks.add("profilerAttachComplete");
        state = State.ACTIVE;
        mask = new TreeSet<>();
    }

    private String leak() {
        switch (state) {
            case NONE:
                return "NO_PROFILER";
            case ACTIVE:
                leaking = true;
                return "started";
            default:
                return "started";
        }
    }

    /** An attach that has timed out succeeds late, and a detach that has waited ends. */
    private String release() {
        boolean ends = state == State.DETACHING;
        if (state == State.INITIALIZING) {
            activate();
        }
        leaking = false;
        return ends ? end("gone") : "released";
    }

    private String mask(String event) {
        if (state != State.ACTIVE) {
            return state == State.NONE ? "NO_PROFILER" : "PROFILER_DETACHING";
        }
        if (event.equals("MODULE_LOADS") || event.equals("EXCEPTIONS") && !launched) {
            return UNSUPPORTED + " " + mask;
        }
        if (event.equals("EXCEPTIONS") != isImmutable()) {
            return IMMUTABLE + " " + mask;
        }
        if (event.equals("SUSPENSIONS") && launched) {
            // The JVM's log is switched by the attach listener, which a JVM that starts with a profiler does not have.
            return UNSUPPORTED + " " + mask;
        }
        mask = new TreeSet<>(event.isEmpty() ? Set.of() : Set.of(event));
        return "OK " + mask;
    }

    private String program(String action) {
        if (state != State.ACTIVE) {
            return "unseen";
        }
        return mask.contains(action.equals("thread") ? "THREADS" : "CLASS_LOADS") ? "reported" : "not reported";
    }

    private String detach() {
        switch (state) {
            case NONE:
                return "NO_PROFILER";
            case DETACHING:
                return "TIMEOUT";
            default:
                if (isImmutable()) {
                    return IMMUTABLE;
                }
                callbacks.add("detachRequested");
                return leaking ? begin("TIMEOUT") : end("gone");
        }
    }

    private String detachItself(String command) {
        boolean once = !command.equals("detach-twice");
        String refused = "PROFILER_DETACHING PROFILER_DETACHING";
        switch (state) {
            case NONE:
                return "NO_PROFILER";
            case DETACHING:
                return once ? "PROFILER_DETACHING" : "PROFILER_DETACHING " + refused;
            default:
                if (isImmutable()) {
                    return once ? IMMUTABLE : IMMUTABLE + " " + IMMUTABLE + " OK";
                }
                String outcome = once ? "OK" : "OK " + refused;
                overdue = leaking && command.equals(BRIEF);
                return leaking ? begin(outcome) : end(outcome);
        }
    }

    /** An event that can be chosen only at launch prevents a detach. */
    private boolean isImmutable() {
        return mask.contains("EXCEPTIONS");
    }

    private String begin(String outcome) {
        state = State.DETACHING;
        return outcome;
    }

    private String end(String outcome) {
        callbacks.add("profilerDetachSucceeded");
        state = State.NONE;
        mask = new TreeSet<>();
        launched = false;
        overdue = false;
        return outcome;
    }
}
