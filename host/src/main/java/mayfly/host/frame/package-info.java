/** Properties of walked frames. The classes are public for the host's own package; no other code uses them. */
package mayfly.host.frame;
