import { crc32, deflateRawSync } from "node:zlib";
import { Zip, type ZipInputFile } from "fflate";
import { zipAttributes, zipDate } from "./zip-build.js";
import type { ZipEntry } from "./zip-entries.js";

/** A file packed as in a zip. */
export type PackedFile = Pick<ZipEntry, "method" | "packed" | "size" | "crc">;

/** Deflates a file. */
export function packFile(bytes: Uint8Array): PackedFile {
  return { method: 8, packed: deflateRawSync(bytes), size: bytes.length, crc: crc32(bytes) };
}

/** Makes a zip of files that are already packed, sorted by path. Deterministic. */
export function zipPacked(files: ReadonlyMap<string, PackedFile>): Buffer {
  const chunks: Uint8Array[] = [];
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    chunks.push(chunk);
  });
  for (const path of [...files.keys()].sort()) {
    const { method, packed, size, crc } = files.get(path) as PackedFile;
    const file: ZipInputFile = {
      filename: path,
      compression: method,
      size,
      crc,
      mtime: zipDate(),
      ...zipAttributes,
    };
    zip.add(file);
    file.ondata?.(null, packed as Uint8Array<ArrayBuffer>, true);
  }
  zip.end();
  return Buffer.concat(chunks);
}
