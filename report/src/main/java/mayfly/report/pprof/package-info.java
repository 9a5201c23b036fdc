/** The format of pprof: gzipped protocol buffers, {@code profile.proto} of github.com/google/pprof. */
@org.jspecify.annotations.NullMarked
package mayfly.report.pprof;
