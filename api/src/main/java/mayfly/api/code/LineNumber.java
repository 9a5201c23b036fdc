package mayfly.api.code;

/**
 * An entry of the line number table of a method. The line of an instruction is that of the entry with the greatest
 * index that is not greater than the instruction's.
 *
 * @param bytecodeIndex the index of the first bytecode of the line, from 0 to 65,535
 * @param line the line in the source file, from 0 to 65,535
 */
public record LineNumber(int bytecodeIndex, int line) {}
