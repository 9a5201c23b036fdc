/**
 * The code cache and its contents: blobs, compiled methods, their debug information, and the methods they were compiled
 * from.
 *
 * <p>An address and a time come in; {@link CodeCache#find} returns the {@link CodeBlob} that contained the address at
 * that time. For an {@link Nmethod}, {@link DebugInfo} maps the program counter to scopes and their monitors, {@link
 * Methods} reads the {@link Method} of each scope, and {@link LeafScope} chooses the scope at the leaf of a stack.
 * {@link Codelets} are the parts of the interpreter, and {@link StubNames} names stubs. Start reading at {@link
 * CodeCache}.
 *
 * <p>The VM frees and replaces code at any time. Cached data must be confirmed once in each epoch before it is used. If
 * it is no longer in place, it is marked as superseded and remains valid for earlier samples only. Names are untrusted
 * text.
 */
@org.jspecify.annotations.NullMarked
package mayfly.hotspot.code;
