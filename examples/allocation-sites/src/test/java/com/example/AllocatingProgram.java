package com.example;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;

/** Allocates arrays of a total size for each line: so many MiB. */
public final class AllocatingProgram {
    private static final int SIZE = 4096;
    private static volatile byte[] last;

    private AllocatingProgram() {}

    public static void main(String[] args) throws IOException {
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("ready");
        for (String request = requests.readLine(); request != null; request = requests.readLine()) {
            allocate(Integer.parseInt(request));
            System.out.println("allocated " + request);
        }
        System.exit(0);
    }

    private static void allocate(int mebibytes) {
        for (long bytes = 0; bytes < (long) mebibytes << 20; bytes += SIZE) {
            last = new byte[SIZE];
        }
    }
}
