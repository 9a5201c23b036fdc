/** Reads the JSON that the command prints. */
@NullMarked
package mayfly.client.json;

import org.jspecify.annotations.NullMarked;
