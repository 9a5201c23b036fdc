/** Profilers that behave, and misbehave, as a test tells them: by the data of their attach, and by commands. */
package mayfly.profilers.testing;
