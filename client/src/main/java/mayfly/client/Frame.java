package mayfly.client;

import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * A frame of a stack, or a place where frames are missing. Its {@code toString} is one line for a reader. Names are
 * untrusted text.
 */
public sealed interface Frame
        permits Frame.Managed, Frame.Stub, Frame.Native, Frame.Kernel, Frame.Hole, Frame.Omitted, Frame.Other {

    /** Returns the kind, as in the command's JSON: java, stub, vm, native, kernel, hole, omitted, or a new one. */
    String kind();

    /** A method that a runtime executes, such as a Java method. Its kind is its language. */
    sealed interface Managed extends Frame permits StackResults.ManagedFrame {
        /** Returns the id of its runtime. */
        String runtime();

        /** Returns its class, with dots. */
        String className();

        /** Returns its name. */
        String method();

        /** Returns its descriptor, as the JVM defines it. */
        String descriptor();

        /** Returns how it was executed: interpreted, c1, c2, inlined or native. */
        String tier();

        /** Returns the bytecode index, if it is known. */
        OptionalInt bci();

        /** Returns the line number, if it is known. */
        OptionalInt line();

        /** Returns the name of the source file; empty if not known. */
        String file();

        /** Returns the monitors that the method has entered, the last one first. */
        List<Monitor> monitors();
    }

    /** A monitor that a method has entered. */
    sealed interface Monitor permits StackResults.OneMonitor {
        /**
         * Returns entered, left if the thread has released it in Object.wait, or eliminated if the method was compiled
         * without it.
         */
        String state();

        /** Returns the class of its object, or {@code java.lang.Class for NAME} for a class; empty if not known. */
        String className();

        /**
         * Returns the address of its object when the stack was copied, in hexadecimal; 0x0 if it is not known, or if
         * the object was never allocated.
         */
        String object();

        /** Returns why it could not be read; empty if it was read. */
        String unread();
    }

    /** Code that a runtime generated and that is not a method. */
    sealed interface Stub extends Frame permits StackResults.StubFrame {
        /** Returns the id of its runtime. */
        String runtime();

        /** Returns the runtime's name for it. */
        String name();
    }

    /** Code of a library or program. Its kind is vm for the JVM's own code, and native for any other code. */
    sealed interface Native extends Frame permits StackResults.NativeFrame {
        /** Returns the file that contains it; empty if there is none. */
        String library();

        /** Returns the address in that file, or in the process if there is no file, in hexadecimal with 0x. */
        String address();

        /** Returns its function; empty if not known. */
        String symbol();
    }

    /** Code of the kernel. */
    sealed interface Kernel extends Frame permits StackResults.KernelFrame {
        /** Returns its function; empty if not known. */
        String symbol();
    }

    /** Native frames that are not shown, or could not be walked. */
    sealed interface Hole extends Frame permits StackResults.HoleFrame {
        /** Returns how many, if it is known. */
        OptionalLong nativeFrames();
    }

    /** Frames that are left out in the middle of a deep stack. */
    sealed interface Omitted extends Frame permits StackResults.OmittedFrames {
        /** Returns how many. */
        long frames();
    }

    /** A frame of a kind that this version of the library does not know. */
    sealed interface Other extends Frame permits StackResults.OtherFrame {}
}
