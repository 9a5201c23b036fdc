/**
 * Files of proc(5) and sysfs(5), parsed into records. Text from the kernel comes in, and numbers and names go out.
 *
 * <p>Start reading at {@link ProcFile}, which reads a whole file up to a bound, and at {@link Stat}, which parses one
 * line. {@link ProcLines} reads a large file line by line, and {@link HeldProcFile} keeps a file open that is read
 * repeatedly. {@link Maps}, {@link ProcStatus}, {@link SocketTable} and {@link KernelSymbols} parse a file each; {@link
 * Permissions}, {@link AvailableMemory} and {@link OnlineCpus} describe this machine and this process.
 *
 * <p>Each read has an upper bound on the size of the file or on the length of a line, because a target can make some
 * files as large as it likes. Names in these files are chosen by programs: a name can contain blanks, parentheses and
 * control characters, so a parser must not rely on the first parenthesis or blank that it finds.
 */
@org.jspecify.annotations.NullMarked
package mayfly.linux.proc;
