package mayfly.packages;

import java.nio.file.Path;

/** One file of an archive or of a package. Paths have no leading slash; modes are the nine permission bits. */
sealed interface Item {
    String path();

    Item at(String newPath);

    record Folder(String path, int mode) implements Item {
        @Override
        public Folder at(String newPath) {
            return new Folder(newPath, mode);
        }
    }

    /** @param content the file that has the bytes */
    record Regular(String path, int mode, Path content) implements Item {
        @Override
        public Regular at(String newPath) {
            return new Regular(newPath, mode, content);
        }
    }

    record Link(String path, String target) implements Item {
        @Override
        public Link at(String newPath) {
            return new Link(newPath, target);
        }
    }
}
