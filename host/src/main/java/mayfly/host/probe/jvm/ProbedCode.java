package mayfly.host.probe.jvm;

import mayfly.api.code.MethodId;
import mayfly.api.probe.ProbedMethod;

/** A method that has a probe. */
public final class ProbedCode {
    private final MethodId id;
    private final String className;
    private final String name;
    private final String descriptor;
    /** The number in the keys of its probe. */
    private final int number;

    private final ProbeDelivery delivery;
    private volatile boolean reports = true;

    ProbedCode(ProbeDelivery delivery, MethodId id, String className, String name, String descriptor, int number) {
        this.delivery = delivery;
        this.id = id;
        this.className = className;
        this.name = name;
        this.descriptor = descriptor;
        this.number = number;
    }

    public ProbeDelivery delivery() {
        return delivery;
    }

    public MethodId id() {
        return id;
    }

    String className() {
        return className;
    }

    String nameAndDescriptor() {
        return name.concat(descriptor);
    }

    String name() {
        return name;
    }

    String descriptor() {
        return descriptor;
    }

    int number() {
        return number;
    }

    /** Returns true if calls of the method are reported. */
    public boolean reports() {
        return reports;
    }

    void setReports(boolean on) {
        reports = on;
    }

    ProbedMethod describe() {
        return new ProbedMethod(id, className, name, descriptor, reports);
    }
}
