package mayfly.wire;

/** The page of memory that marks the JVMTI environment which a host leaves in a JVM. */
public final class AnchorPage {
    /** The beginning of the page in every version; the version follows. */
    public static final String MAGIC = "MAYFLY-JVMTI-ANCHOR-";

    public static final String VERSION = "1";
    /** The offset of the address of the environment, in bytes. */
    public static final int ENVIRONMENT = 32;
    /** The offset of the number of times that hosts have redefined classes. */
    public static final int REDEFINITIONS = 40;
    /** The offset of the number of hashes. More than {@link #MAX_HASHES} means that some have no place. */
    public static final int HASH_COUNT = 48;
    /**
     * The offset of the hashes of the names of the classes that hosts have redefined: 32-bit FNV-1a of the signature,
     * as in {@code Lcom/example/Shop;}.
     */
    public static final int HASHES = 52;
    /** The number of hashes that have a place. */
    public static final int MAX_HASHES = 1011;
    /** The size of the page, in bytes. */
    public static final int SIZE = 4096;

    private AnchorPage() {}
}
