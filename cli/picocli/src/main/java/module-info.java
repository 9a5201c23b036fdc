/** picocli, compiled for Java 25. */
module info.picocli {
    exports picocli;
}
