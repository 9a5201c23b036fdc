package com.example;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.util.HashMap;
import java.util.Map;

/** Loads a plug-in for each line, by a loader of its own, and keeps it in a static map until the line {@code end}. */
public final class LeakingLoaders {
    private static final Map<String, Object> PLUGINS = new HashMap<>();

    private LeakingLoaders() {}

    /** The class of which each loader defines a copy. */
    public static final class Plugin {}

    private static final class Loader extends ClassLoader {
        Object plugin(byte[] bytes) throws ReflectiveOperationException {
            return defineClass(Plugin.class.getName(), bytes, 0, bytes.length)
                    .getConstructor()
                    .newInstance();
        }
    }

    public static void main(String[] args) throws IOException, ReflectiveOperationException {
        byte[] bytes;
        try (InputStream in = LeakingLoaders.class.getResourceAsStream("LeakingLoaders$Plugin.class")) {
            bytes = in.readAllBytes();
        }
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("ready");
        for (String request = requests.readLine(); request != null; request = requests.readLine()) {
            if (request.equals("end")) {
                PLUGINS.clear();
            } else {
                PLUGINS.put(request, new Loader().plugin(bytes));
            }
            System.out.println("done " + request);
        }
        System.exit(0);
    }
}
