package com.example;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Serves requests, one on each line. Each request starts a pool of threads, and does not shut it down. */
public final class LeakingProgram {
    private LeakingProgram() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("ready");
        for (String request = requests.readLine(); request != null; request = requests.readLine()) {
            Thread parser = new Thread(() -> {}, "parser-" + request);
            parser.start();
            parser.join();
            String answer = "served " + request;
            ExecutorService pool = Executors.newFixedThreadPool(2);
            pool.execute(() -> System.out.println(answer));
        }
        System.exit(0);
    }
}
