package mayfly.hotspot.code;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.hotspot.tables.CompressedBytes;
import mayfly.hotspot.tables.JdkRules;

/** A forward reader of the values that debug information describes, see debugInfo.cpp and location.hpp. */
final class ScopeValues {
    private static final int LOCATION_CODE = 0;
    private static final int CONSTANT_INT_CODE = 1;
    private static final int CONSTANT_OOP_CODE = 2;
    private static final int CONSTANT_LONG_CODE = 3;
    private static final int CONSTANT_DOUBLE_CODE = 4;
    private static final int OBJECT_CODE = 5;
    private static final int OBJECT_ID_CODE = 6;
    private static final int AUTO_BOX_OBJECT_CODE = 7;
    private static final int MARKER_CODE = 8;
    private static final int OBJECT_MERGE_CODE = 9;

    private static final int TYPE_MASK = 0xf;
    private static final int OOP = 2;
    private static final int IN_REGISTER = 0x10;
    private static final int OFFSET_SHIFT = 5;
    /** Upper bound on the monitors of a method. */
    private static final int MAX_MONITORS = 1 << 12;
    /** Upper bound on the objects in objects. */
    private static final int MAX_DEPTH = 64;

    private final CompressedBytes in;
    private final JdkRules rules;
    /** For each object that is never allocated, the position of its class in the table of references. */
    private final Map<Integer, Integer> classes = new HashMap<>();

    /** @param in the values, from the first one on */
    ScopeValues(CompressedBytes in, JdkRules rules) {
        this.in = in;
        this.rules = rules;
    }

    /** Reads the monitors of a scope, in the order in which the method has entered them. */
    List<MonitorValue> monitors(int scope) throws BadMetadata {
        List<MonitorValue> monitors = new ArrayList<>();
        for (int left = count(MAX_MONITORS); left > 0; left--) {
            in.readUnsigned(); // the location of the BasicLock
            MonitorValue owner = owner(scope);
            boolean eliminated = in.readByte() != 0;
            monitors.add(new MonitorValue(scope, eliminated, owner.place(), owner.narrow(), owner.number()));
        }
        return monitors;
    }

    private MonitorValue owner(int scope) throws BadMetadata {
        int code = in.readUnsigned();
        return switch (code) {
            case LOCATION_CODE -> atLocation(scope, in.readUnsigned());
            case CONSTANT_OOP_CODE -> of(scope, MonitorValue.Place.CONSTANT, in.readUnsigned());
            case OBJECT_ID_CODE -> of(scope, MonitorValue.Place.REPLACED, in.readUnsigned());
            default -> {
                rest(code, 0);
                yield of(scope, MonitorValue.Place.UNKNOWN, 0);
            }
        };
    }

    private MonitorValue atLocation(int scope, int location) {
        int type = location & TYPE_MASK;
        boolean narrow = type == rules.narrowOopLocation();
        int offset = location >>> OFFSET_SHIFT;
        if (type != OOP && !narrow) {
            return of(scope, MonitorValue.Place.UNKNOWN, 0);
        }
        return (location & IN_REGISTER) != 0
                ? new MonitorValue(scope, false, MonitorValue.Place.REGISTER, narrow, offset)
                : new MonitorValue(scope, false, MonitorValue.Place.STACK, narrow, offset * Integer.BYTES);
    }

    private static MonitorValue of(int scope, MonitorValue.Place place, int number) {
        return new MonitorValue(scope, false, place, false, number);
    }

    /** Reads the objects that the code does not allocate. */
    Map<Integer, Integer> classes() throws BadMetadata {
        for (int left = count(Integer.MAX_VALUE); left > 0; left--) {
            rest(in.readUnsigned(), 0);
        }
        return classes;
    }

    private int count(int most) throws BadMetadata {
        int count = in.readUnsigned();
        if (count < 0 || count > most) {
            throw new BadMetadata(count + " values in debug information");
        }
        return count;
    }

    /** Reads the rest of a value, behind its code. */
    private void rest(int code, int depth) throws BadMetadata {
        if (depth > MAX_DEPTH) {
            throw new BadMetadata("objects in objects in debug information");
        }
        switch (code) {
            case LOCATION_CODE, CONSTANT_INT_CODE, CONSTANT_OOP_CODE, OBJECT_ID_CODE -> in.readUnsigned();
            case CONSTANT_LONG_CODE, CONSTANT_DOUBLE_CODE -> {
                in.readUnsigned();
                in.readUnsigned();
            }
            case OBJECT_CODE, AUTO_BOX_OBJECT_CODE -> object(depth);
            case OBJECT_MERGE_CODE -> {
                in.readUnsigned(); // its id
                rest(in.readUnsigned(), depth + 1); // the selector
                rest(in.readUnsigned(), depth + 1); // the object, if it was allocated
                values(depth);
            }
            case MARKER_CODE -> {}
            default -> throw new BadMetadata("a value of the code " + code + " in debug information");
        }
    }

    private void object(int depth) throws BadMetadata {
        int id = in.readUnsigned();
        if (rules.objectRootFlag()) {
            in.readByte();
        }
        int code = in.readUnsigned();
        if (code == CONSTANT_OOP_CODE) {
            classes.put(id, in.readUnsigned());
        } else {
            rest(code, depth + 1);
        }
        values(depth);
    }

    private void values(int depth) throws BadMetadata {
        for (int left = count(Integer.MAX_VALUE); left > 0; left--) {
            rest(in.readUnsigned(), depth + 1);
        }
    }
}
