package com.example;

import java.util.Scanner;

/** Loads the classes that are named on its standard input, one on each line. */
public final class LoadingProgram {
    private LoadingProgram() {}

    static final class Order {}

    public static void main(String[] args) throws ClassNotFoundException {
        Scanner names = new Scanner(System.in);
        System.out.println("ready");
        while (names.hasNextLine()) {
            System.out.println("loaded " + Class.forName(names.nextLine()));
        }
    }
}
