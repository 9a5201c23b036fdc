package mayfly.linux.sys;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import mayfly.linux.abi.SystemCall;

/**
 * The process listening on a Unix stream socket, by SO_PEERCRED, see unix(7): the process that called listen(2), and
 * its user at that time.
 *
 * @param pid the process id in this process's pid namespace, 0 if it is not visible there
 * @param uid the effective user id
 */
public record UnixPeer(int pid, int uid) {
    public static final int AF_UNIX = 1;
    public static final int SOCK_STREAM = 1;
    public static final int SOCK_NONBLOCK = 0x800;
    public static final int SOCK_CLOEXEC = 0x8_0000;
    public static final int SOL_SOCKET = 1;
    public static final int SO_PEERCRED = 17;
    /** sizeof(struct sockaddr_un) and sizeof(struct ucred): pid, uid, gid. */
    public static final int ADDRESS_SIZE = 110;

    public static final int CREDENTIALS_SIZE = 12;

    /**
     * Connects briefly to obtain the peer.
     *
     * @return empty if the listener's queue is full
     * @throws IOException if no process listens there, or this user may not connect
     */
    public static Optional<UnixPeer> of(Path path) throws IOException {
        byte[] name = path.toString().getBytes(StandardCharsets.UTF_8);
        if (name.length > ADDRESS_SIZE - 3) {
            throw new IOException(path + " is too long for a socket's path");
        }
        try (Arena arena = Arena.ofConfined();
                Fd socket = new Fd((int) ErrnoException.check(
                        "socket",
                        Syscall.call(SystemCall.SOCKET, AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)))) {
            MemorySegment address = arena.allocate(ADDRESS_SIZE, 8);
            address.set(JAVA_SHORT, 0, (short) AF_UNIX);
            MemorySegment.copy(name, 0, address, JAVA_BYTE, 2, name.length);
            long connected = Syscall.call(SystemCall.CONNECT, socket.number(), address.address(), ADDRESS_SIZE);
            if (connected == -Errno.EAGAIN) {
                return Optional.empty();
            }
            ErrnoException.check("connect to " + path, connected);
            MemorySegment credentials = arena.allocate(CREDENTIALS_SIZE, 4);
            MemorySegment size = arena.allocateFrom(JAVA_INT, CREDENTIALS_SIZE);
            ErrnoException.check(
                    "getsockopt",
                    Syscall.call(
                            SystemCall.GETSOCKOPT,
                            socket.number(),
                            SOL_SOCKET,
                            SO_PEERCRED,
                            credentials.address(),
                            size.address(),
                            0));
            return Optional.of(new UnixPeer(credentials.get(JAVA_INT, 0), credentials.get(JAVA_INT, 4)));
        }
    }
}
