/**
 * The probes of a running JVM: chooses methods, lets the JVM change their classes and change them back, verifies that,
 * and reports the calls.
 */
package mayfly.host.probe.jvm;
