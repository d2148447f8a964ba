import { crc32, deflateRawSync } from "node:zlib";
import { zipSync } from "fflate";

/**
 * A zip with a file of zeros, and others. Node's own compressor makes it, which takes a tenth of the time of fflate.
 * @param size of the file when it is unpacked, in bytes
 */
export function zipBomb(
  path: string,
  size: number,
  others: Readonly<Record<string, Uint8Array>> = {},
): Uint8Array {
  const zeros = Buffer.alloc(size);
  // It is the first file of the zip, and of its directory. There it is said to be stored as it is.
  const zip = Buffer.from(
    zipSync({ [path]: [deflateRawSync(zeros, { level: 1 }), { level: 0 }], ...others }),
  );
  const directory = zip.readUInt32LE(zip.length - 6);
  for (const [method, check, unpacked] of [
    [8, 14, 22],
    [directory + 10, directory + 16, directory + 24],
  ] as const) {
    zip.writeUInt16LE(8, method);
    zip.writeUInt32LE(crc32(zeros), check);
    zip.writeUInt32LE(size, unpacked);
  }
  return zip;
}
