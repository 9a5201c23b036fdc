/** Probes: chosen methods whose code is changed in the running program, so that each of their calls is reported. */
package mayfly.api.probe;
