package mayfly.kit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The part of a requirement that its tests do not verify, such as {@code "A-04: no test measures how long a time-out
 * takes"}. Annotates one of the tests that name the requirement.
 */
@Documented
@Repeatable(Partly.All.class)
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Partly {
    /** The id, a colon and the missing part. */
    String value();

    /** Several annotations at one test. */
    @Documented
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.METHOD)
    @interface All {
        Partly[] value();
    }
}
