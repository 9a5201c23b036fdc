/** The words that every room shares, and the capture format. */
module mayfly.profile {
    requires static org.jspecify;

    exports mayfly.profile;
    exports mayfly.profile.capture;
}
