package mayfly.kit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a requirement that its tests cannot refute, for example because it applies to nothing. Annotates one of the
 * tests that name the requirement.
 */
@Documented
@Repeatable(Empty.All.class)
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Empty {
    /** The id, a colon and the reason. */
    String value();

    /** Several annotations at one test. */
    @Documented
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.METHOD)
    @interface All {
        Empty[] value();
    }
}
