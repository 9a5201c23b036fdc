/** Types that most modules share, and the capture format. */
module mayfly.profile {
    requires static org.jspecify;

    exports mayfly.profile;
    exports mayfly.profile.capture;
    exports mayfly.profile.column;
}
