package mayfly.linux;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import mayfly.linux.sys.Errno;
import mayfly.linux.sys.ErrnoException;
import mayfly.linux.sys.Fd;
import mayfly.linux.sys.HeldPath;
import mayfly.linux.sys.Memfd;
import mayfly.linux.sys.Open;
import mayfly.linux.sys.Statx;

/** The open descriptors of a process, see proc_pid_fd(5). */
final class ProcessDescriptors {
    private final int pid;
    private final Fd directory;

    ProcessDescriptors(int pid, Fd directory) {
        this.pid = pid;
        this.directory = directory;
    }

    Map<Integer, String> all() throws IOException {
        String[] names = new File(proc() + "/fd").list();
        if (names == null) {
            throw new IOException("cannot list /proc/" + pid + "/fd");
        }
        Map<Integer, String> found = new TreeMap<>();
        for (String name : names) {
            try {
                found.put(
                        Integer.parseInt(name),
                        Files.readSymbolicLink(Path.of(proc(), "fd", name)).toString());
            } catch (NoSuchFileException e) {
                continue; // closed since the names were listed; the number may denote another file by now
            }
        }
        return found;
    }

    HeldPath hold(int number) throws IOException {
        return HeldPath.behind(proc() + "/fd/" + number);
    }

    boolean mayBeSocket(int number) {
        try {
            return Files.readSymbolicLink(Path.of(proc(), "fd", Integer.toString(number)))
                    .toString()
                    .startsWith("socket:");
        } catch (IOException e) {
            return true;
        }
    }

    byte[] read(int number, String link, int length) throws IOException {
        try (Fd held = Open.path(proc() + "/fd/" + number)) {
            if (!Statx.of(held).isRegular()
                    || !Memfd.isInMemory(held)
                    || !Files.readSymbolicLink(Path.of(held.path())).toString().equals(link)) {
                return new byte[0];
            }
            try (Fd file = Open.readAtOnce(held.path())) {
                return file.read(length);
            }
        } catch (ErrnoException e) {
            if (e.errno() == Errno.ENOENT || e.errno() == Errno.EAGAIN) {
                return new byte[0];
            }
            throw e;
        }
    }

    private String proc() {
        return directory.path();
    }
}
