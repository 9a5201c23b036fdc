/**
 * The tables by which a VM describes its own data structures, and the rows for what they lack.
 *
 * <p>The memory of a process and the symbols of its libjvm.so come in; a {@link VmLayout} goes out, with the offset or
 * the address of each {@link VmField}, or an {@link UnsupportedVm} that names what is missing. Start reading at {@link
 * VmField}: each row is a field that Mayfly reads, with the names that it has had. {@link VmStructs} reads the exported
 * tables, and {@link JdkRules} has the facts that no table describes, by JDK. {@link VmFlags} reads flags.
 *
 * <p>A difference between JDKs is a row of {@link VmField} or {@link JdkRules}. The tables are memory of the target,
 * and therefore untrusted: a count, a length or an offset is checked before it is used. {@link BadMetadata} and {@link
 * Unreadable} are ordinary results of reading a running VM, not defects.
 */
@org.jspecify.annotations.NullMarked
package mayfly.hotspot.tables;
