package mayfly.wire.life;

/** The states of a host that its record shows. */
public final class HostState {
    public static final int INITIALIZING = 1;
    public static final int ACTIVE = 2;
    public static final int DETACHING = 3;
    public static final int PINNED = 4;

    private HostState() {}
}
