package mayfly.audit;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import mayfly.hotspot.inventory.InventoryQueries;
import mayfly.hotspot.inventory.JvmtiState;
import mayfly.hotspot.inventory.LoadedClasses;
import mayfly.hotspot.inventory.RegistrationQueries;
import mayfly.hotspot.inventory.SetFlag;
import mayfly.hotspot.inventory.ThreadOwner;
import mayfly.hotspot.inventory.VmInventory.Undetermined;
import mayfly.process.MemoryFault;

/** The inventory of a scripted JVM, in which nothing is set at first. */
final class ScriptedInventory implements InventoryQueries, RegistrationQueries {
    /** The reason for which a query fails, by the query's name. */
    final Map<String, String> undetermined = new HashMap<>();

    final Map<String, Integer> queries = new HashMap<>();
    final Map<Integer, ThreadOwner> owners = new HashMap<>();
    boolean threadsFault;
    LoadedClasses classes = new LoadedClasses(List.of(), List.of(), true);
    JvmtiState jvmti = new JvmtiState(List.of(), List.of(), 0);
    List<SetFlag> flags = List.of();
    final SortedMap<String, String> properties = new TreeMap<>();
    List<String> registered = List.of();
    List<String> signals = List.of();

    private <T> T answer(String query, T value) throws Undetermined {
        queries.merge(query, 1, Integer::sum);
        String reason = undetermined.get(query);
        if (reason != null) {
            throw new Undetermined(reason);
        }
        return value;
    }

    @Override
    public Map<Integer, ThreadOwner> threadOwners() throws MemoryFault {
        if (threadsFault) {
            throw new MemoryFault(0, 8);
        }
        return owners;
    }

    @Override
    public LoadedClasses classes() throws Undetermined {
        return answer("classes", classes);
    }

    @Override
    public List<SetFlag> flags() throws Undetermined {
        return answer("flags", flags);
    }

    @Override
    public JvmtiState jvmti() throws Undetermined {
        return answer("jvmti", jvmti);
    }

    @Override
    public SortedMap<String, String> systemProperties() throws Undetermined {
        return answer("properties", properties);
    }

    @Override
    public RegistrationQueries registrations() throws Undetermined {
        return answer("registrations", this);
    }

    @Override
    public List<String> logOutputs() throws Undetermined {
        return answer("logs", List.of());
    }

    @Override
    public List<String> shutdownHooks() throws Undetermined {
        return answer("hooks", registered);
    }

    @Override
    public List<String> uncaughtExceptionHandlers() throws Undetermined {
        return answer("handlers", List.of());
    }

    @Override
    public List<String> signals() throws Undetermined {
        return answer("signals", signals);
    }

    @Override
    public List<String> mbeans() throws Undetermined {
        return answer("mbeans", List.of());
    }

    @Override
    public List<String> flightRecordings() throws Undetermined {
        return answer("recordings", List.of());
    }

    @Override
    public List<String> logLevels() throws Undetermined {
        return answer("levels", List.of());
    }
}
