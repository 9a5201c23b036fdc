/** The threads of the runtime with their states. */
package mayfly.api.thread;
