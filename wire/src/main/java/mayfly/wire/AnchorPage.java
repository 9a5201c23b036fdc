package mayfly.wire;

/** The page of memory that marks the JVMTI environment which a host leaves in a JVM. */
public final class AnchorPage {
    /** The beginning of the page in every version; the version follows. */
    public static final String MAGIC = "MAYFLY-JVMTI-ANCHOR-";

    public static final String VERSION = "1";
    /** The offset of the address of the environment, in bytes. */
    public static final int ENVIRONMENT = 32;
    /** The size of the page, in bytes. */
    public static final int SIZE = 4096;

    private AnchorPage() {}
}
