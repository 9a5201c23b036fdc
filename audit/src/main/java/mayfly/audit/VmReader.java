package mayfly.audit;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.zip.CRC32;
import mayfly.hotspot.inventory.InventoryQueries;
import mayfly.hotspot.inventory.JvmtiState;
import mayfly.hotspot.inventory.JvmtiState.Environment;
import mayfly.hotspot.inventory.LoadedClasses;
import mayfly.hotspot.inventory.RegistrationQueries;
import mayfly.hotspot.inventory.SetFlag;
import mayfly.hotspot.inventory.ThreadOwner;
import mayfly.hotspot.inventory.VmInventory.Undetermined;
import mayfly.process.MemoryFault;
import mayfly.runtime.FoundRuntime;
import mayfly.runtime.ManagedRuntime;
import mayfly.runtime.thread.ManagedThread;
import org.jspecify.annotations.Nullable;

/** Reads the items that the JVMs of a process list. */
final class VmReader {
    /** Part of the name of a hidden class: the address of the class. */
    private static final Pattern ADDRESS = Pattern.compile("/0x[0-9a-f]+(?=;?$)");

    private static final Pattern ADDRESSES = Pattern.compile("/0x[0-9a-f]+");

    static final String FLIGHT_RECORDER = "environment of the flight recorder";
    private static final String EMPTY = "empty environment";
    /** The end of an item that a host has caused. */
    private static final String FOR_PROBES = ", for probes";

    private final List<FoundRuntime> vms;
    private final AuditedVms all;
    /** For each JVM in which a host has left an environment and its page, by the address of the JVM's library. */
    private final Map<Long, HostRedefinitions> byHosts;

    private @Nullable List<LoadedClasses> classes;
    private final Map<FoundRuntime, RegistrationQueries> registrations = new HashMap<>();

    VmReader(AuditedVms all, Map<Long, HostRedefinitions> byHosts) {
        this.vms = all.present();
        this.all = all;
        this.byHosts = byHosts;
    }

    /** Returns the prefix of each item of a JVM that is not the only one of its process. */
    private String prefix(FoundRuntime vm) {
        if (vms.size() == 1) {
            return "";
        }
        ManagedRuntime runtime = vm.runtime();
        return (runtime == null
                        ? "JVM at 0x" + Long.toHexString(vm.module().start())
                        : runtime.id().toString()) + ": ";
    }

    private InventoryQueries inventory(FoundRuntime vm) throws NotSeen {
        ManagedRuntime runtime = vm.runtime();
        if (runtime == null) {
            throw new NotSeen(vm.problemText());
        }
        return all.inventory(runtime)
                .orElseThrow(() -> new NotSeen("Mayfly cannot list the items of a " + vm.kind() + " runtime"));
    }

    /** Returns the threads in the JVMs' lists, by their ids in the process, as far as they can be read. */
    Map<Integer, KnownThread> threads() {
        Map<Integer, KnownThread> threads = new HashMap<>();
        for (FoundRuntime vm : vms) {
            ManagedRuntime runtime = vm.runtime();
            InventoryQueries inventory =
                    runtime == null ? null : all.inventory(runtime).orElse(null);
            if (runtime != null && inventory != null) {
                all.forgetMemory();
                try {
                    Map<Integer, ThreadOwner> owners = inventory.threadOwners();
                    for (ManagedThread thread : runtime.threads()) {
                        threads.put(
                                thread.tid(),
                                new KnownThread(
                                        runtime.info(thread).name(),
                                        owners.getOrDefault(thread.tid(), ThreadOwner.OTHER)));
                    }
                } catch (MemoryFault e) {
                    continue; // its threads get the kernel's names
                }
            }
        }
        return threads;
    }

    private List<LoadedClasses> loaded() throws NotSeen, Undetermined {
        List<LoadedClasses> read = classes;
        if (read == null) {
            read = new ArrayList<>();
            for (FoundRuntime vm : vms) {
                read.add(inventory(vm).classes());
            }
            classes = read;
        }
        return read;
    }

    /** Shortens well-known names to the part that distinguishes them. */
    private static String loader(String className) {
        return switch (className) {
            case "jdk.internal.loader.ClassLoaders$AppClassLoader" -> "app";
            case "jdk.internal.loader.ClassLoaders$PlatformClassLoader" -> "platform";
            case "jdk.internal.loader.ClassLoaders$BootClassLoader" -> LoadedClasses.BOOT;
            default -> className;
        };
    }

    void loaders(Items into) throws NotSeen, Undetermined {
        for (int i = 0; i < vms.size(); i++) {
            for (LoadedClasses.Loader loader : loaded().get(i).loaders()) {
                String name = loader(loader.className());
                boolean ofJdk = !name.equals(loader.className()) || name.equals(LoadedClasses.BOOT);
                into.add(prefix(vms.get(i)) + name + (ofJdk ? "" : firstClass(loader)));
            }
        }
    }

    private static String firstClass(LoadedClasses.Loader loader) {
        return loader.firstClass().isEmpty()
                ? ", without a class"
                : ", first class " + withoutAddress(loader.firstClass());
    }

    private static String withoutAddress(String name) {
        return name.indexOf("/0x") < 0 ? name : ADDRESS.matcher(name).replaceFirst("");
    }

    void classes(Items into) throws NotSeen, Undetermined {
        for (int i = 0; i < vms.size(); i++) {
            for (LoadedClasses.Loaded loaded : loaded().get(i).classes()) {
                into.add(prefix(vms.get(i)) + withoutAddress(loaded.name()) + " in " + loader(loaded.loader()));
            }
        }
    }

    void transformed(Items into) throws NotSeen, Undetermined {
        for (int i = 0; i < vms.size(); i++) {
            LoadedClasses read = loaded().get(i);
            HostRedefinitions own = byHosts.getOrDefault(vms.get(i).module().start(), new HostRedefinitions());
            for (LoadedClasses.Loaded loaded : read.classes()) {
                if (loaded.redefined()) {
                    into.add(prefix(vms.get(i)) + withoutAddress(loaded.name()) + " in " + loader(loaded.loader())
                            + (own.contains(loaded.name()) ? FOR_PROBES : ""));
                }
            }
            long redefinitions = redefinitions(vms.get(i), read.redefinedKnown());
            long ofHosts = Math.min(own.count(), redefinitions);
            if (redefinitions > ofHosts) {
                into.add(prefix(vms.get(i)) + "redefinitions since the JVM started", redefinitions - ofHosts);
            }
            if (ofHosts > 0) {
                into.add(prefix(vms.get(i)) + "redefinitions" + FOR_PROBES, ofHosts);
            }
        }
    }

    private long redefinitions(FoundRuntime vm, boolean knownOtherwise) throws NotSeen, Undetermined {
        try {
            long counted = inventory(vm).jvmti().redefinitions();
            if (counted >= 0 || knownOtherwise) {
                return counted;
            }
        } catch (Undetermined e) {
            if (knownOtherwise) {
                return -1;
            }
        }
        throw new NotSeen("this libjvm.so is stripped: it has no symbol for the count of redefinitions");
    }

    void environments(Items into) throws NotSeen, Undetermined {
        for (FoundRuntime vm : vms) {
            JvmtiState state = inventory(vm).jvmti();
            boolean marked = byHosts.containsKey(vm.module().start());
            for (Environment environment : state.environments()) {
                String text = text(environment);
                if (marked && text.equals(EMPTY)) {
                    text = EMPTY + ", marked by Mayfly";
                    marked = false;
                }
                into.add(prefix(vm) + text);
            }
            for (String forGood : state.switchedOn()) {
                into.add(prefix(vm) + AuditSection.PERMANENT + forGood);
            }
        }
    }

    private String text(Environment environment) {
        if (environment.disposed()) {
            return "disposed environment";
        }
        if (environment.flightRecorder()) {
            return FLIGHT_RECORDER;
        }
        Set<String> called = new TreeSet<>();
        for (long callback : environment.callbacks()) {
            called.add(all.libraryAt(callback).orElse("code of no library"));
        }
        return called.isEmpty() ? EMPTY : "environment that calls " + String.join(", ", called);
    }

    void flags(Items into) throws NotSeen, Undetermined {
        for (FoundRuntime vm : vms) {
            for (SetFlag flag : inventory(vm).flags()) {
                into.add(prefix(vm) + flag.name() + " ("
                        + flag.origin().name().toLowerCase(Locale.ROOT).replace('_', ' ') + ") = "
                        + flag.value());
            }
        }
    }

    /** Reads one list of a JVM. */
    interface Listing {
        List<String> of(RegistrationQueries registrations) throws Undetermined;
    }

    private RegistrationQueries registrations(FoundRuntime vm) throws NotSeen, Undetermined {
        RegistrationQueries read = registrations.get(vm);
        if (read == null) {
            read = inventory(vm).registrations();
            registrations.put(vm, read);
        }
        return read;
    }

    void registered(Items into, Listing listing) throws NotSeen, Undetermined {
        for (FoundRuntime vm : vms) {
            for (String item : listing.of(registrations(vm))) {
                into.add(prefix(vm) + withoutAddresses(item));
            }
        }
    }

    /** Returns the numbers of the signals that Java code handles in one of the JVMs. */
    Set<String> signalsOfJava() throws NotSeen, Undetermined {
        Set<String> signals = new HashSet<>();
        for (FoundRuntime vm : vms) {
            signals.addAll(registrations(vm).signals());
        }
        return signals;
    }

    private static String withoutAddresses(String text) {
        return text.indexOf("/0x") < 0 ? text : ADDRESSES.matcher(text).replaceAll("");
    }

    void logOutputs(Items into) throws NotSeen, Undetermined {
        for (FoundRuntime vm : vms) {
            for (String output : inventory(vm).logOutputs()) {
                into.add(prefix(vm) + output);
            }
        }
    }

    /** Adds the system properties. A value may be a password: the item reveals only enough to detect a change. */
    void properties(Items into) throws NotSeen, Undetermined {
        for (FoundRuntime vm : vms) {
            for (Map.Entry<String, String> property :
                    inventory(vm).systemProperties().entrySet()) {
                CRC32 sum = new CRC32();
                sum.update(property.getValue().getBytes(StandardCharsets.UTF_8));
                into.add(prefix(vm) + property.getKey() + " = ("
                        + property.getValue().length() + " chars, CRC-32 "
                        + HexFormat.of().toHexDigits((int) sum.getValue()) + ")");
            }
        }
    }
}
