package mayfly.binary.dwarf;

import mayfly.binary.BadFormat;
import mayfly.binary.Cursor;

/**
 * A common information entry, DWARF 5 section 6.4.1 with the augmentations of LSB Core 5 section 10.6.1.
 *
 * @param codeAlign factor of advances
 * @param dataAlign factor of offsets
 * @param returnAddress column of the return address
 * @param augmented true if its FDEs have augmentation data
 * @param pointers encoding of addresses in its FDEs
 * @param signalFrame true if its functions are signal frames
 * @param programStart position of the initial instructions in the section
 * @param programEnd position after them
 */
record Cie(
        long codeAlign,
        long dataAlign,
        int returnAddress,
        boolean augmented,
        int pointers,
        boolean signalFrame,
        long programStart,
        long programEnd) {

    /**
     * Reads the entry whose identifier has just been read.
     *
     * @param vaddr address of the cursor's position 0
     * @param registers the number of registers that have a rule
     */
    static Cie read(Cursor in, long end, long vaddr, int registers) throws BadFormat {
        int version = in.u8();
        if (version != 1 && version != 3 && version != 4) {
            throw in.bad("CIE version " + version);
        }
        String augmentation = in.string(16);
        if (version == 4 && (in.u8() != 8 || in.u8() != 0)) {
            throw in.bad("CIE with segments, or addresses that are not 64-bit");
        }
        long codeAlign = in.uleb();
        long dataAlign = in.sleb();
        long returnAddress = version == 1 ? in.u8() : in.uleb();
        if (returnAddress < 0 || returnAddress >= registers) {
            throw in.bad("return address in column " + returnAddress);
        }
        boolean augmented = augmentation.startsWith("z");
        int pointers = 0;
        boolean signal = false;
        long program = in.position();
        if (augmented) {
            long length = in.uleb();
            program = in.position() + length;
            if (length < 0 || program > end) {
                throw in.bad("augmentation data of " + length + " bytes");
            }
        } else if (!augmentation.isEmpty() && !augmentation.equals("S")) {
            throw in.bad("augmentation without z");
        }
        for (int i = 0; i < augmentation.length(); i++) {
            switch (augmentation.charAt(i)) {
                case 'z', 'B' -> {}
                case 'R' -> pointers = in.u8();
                case 'L' -> in.u8();
                case 'S' -> signal = true;
                case 'P' -> {
                    int encoding = in.u8();
                    if (encoding != PointerEncoding.OMIT) {
                        PointerEncoding.value(in, encoding);
                    }
                }
                default -> throw in.bad("augmentation letter " + (int) augmentation.charAt(i));
            }
        }
        return new Cie(codeAlign, dataAlign, (int) returnAddress, augmented, pointers, signal, program, end);
    }
}
