/**
 * Profilers with correct and incorrect behaviour, controlled by a test through the data of their attach and through
 * commands.
 */
package mayfly.profilers.testing;
