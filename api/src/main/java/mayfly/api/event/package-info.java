/** The data of events, and the ways in which events are delivered. */
package mayfly.api.event;
