/** The code of methods: line numbers, decoded from the JVM's tables, and the addresses of compiled code. */
@org.jspecify.annotations.NullMarked
package mayfly.host.code;
