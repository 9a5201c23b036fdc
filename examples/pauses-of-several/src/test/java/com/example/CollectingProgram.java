package com.example;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;

/** Collects its garbage for each line that it reads. */
public final class CollectingProgram {
    private CollectingProgram() {}

    public static void main(String[] args) throws IOException {
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("ready");
        for (String request = requests.readLine(); request != null; request = requests.readLine()) {
            System.gc();
            System.out.println("collected " + request);
        }
    }
}
