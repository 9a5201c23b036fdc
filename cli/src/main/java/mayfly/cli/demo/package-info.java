/** The program that {@code mayfly demo} profiles. Runs in a separate JVM and depends on no other package. */
@org.jspecify.annotations.NullMarked
package mayfly.cli.demo;
