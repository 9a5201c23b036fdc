/** The program that {@code mayfly demo} profiles. Runs in a JVM of its own and knows nothing of the rest. */
@org.jspecify.annotations.NullMarked
package mayfly.cli.demo;
