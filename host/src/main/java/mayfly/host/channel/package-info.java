/** The messages that the Java half sends on the host's channel. */
package mayfly.host.channel;
