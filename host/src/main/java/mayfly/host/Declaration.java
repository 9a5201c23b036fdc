package mayfly.host;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.EnumSet;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.jar.Manifest;
import mayfly.api.Event;
import mayfly.api.ProfilerException;
import mayfly.api.Status;
import org.jspecify.annotations.Nullable;

/**
 * What a profiler's jar says of itself.
 *
 * @param events the events it may ask for
 */
record Declaration(Set<Event> events) {
    /** The version of the api that this host speaks. */
    static final int API = 1;

    static Declaration read(byte @Nullable [] manifest) {
        if (manifest == null) {
            throw new ProfilerException(Status.ATTACH_REFUSED, "the profiler's jar has no manifest");
        }
        Attributes attributes;
        try {
            attributes = new Manifest(new ByteArrayInputStream(manifest)).getMainAttributes();
        } catch (IOException e) {
            throw new ProfilerException(Status.ATTACH_REFUSED, "the manifest of the profiler's jar cannot be read: " + e.getMessage());
        }
        String api = attributes.getValue("Mayfly-Api");
        if (api == null || !api.trim().matches("[0-9]{1,4}") || Integer.parseInt(api.trim()) > API) {
            throw new ProfilerException(Status.ATTACH_REFUSED,
                    api == null ? "the manifest of the profiler's jar has no Mayfly-Api"
                            : "the profiler needs api " + api + "; this host speaks " + API);
        }
        Set<Event> events = EnumSet.noneOf(Event.class);
        String listed = attributes.getValue("Mayfly-Events");
        for (String name : listed == null ? new String[0] : listed.trim().split("[, ]+")) {
            if (!name.isEmpty()) {
                events.add(event(name));
            }
        }
        return new Declaration(events);
    }

    private static Event event(String name) {
        for (Event event : Event.values()) {
            if (event.name().equals(name)) {
                return event;
            }
        }
        throw new ProfilerException(Status.ATTACH_REFUSED, "the profiler's manifest lists an event that this host does not know: "
                + name);
    }
}
