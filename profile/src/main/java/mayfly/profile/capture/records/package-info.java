/** Records of a capture: how each is encoded, decoded and bounded. */
@org.jspecify.annotations.NullMarked
package mayfly.profile.capture.records;
