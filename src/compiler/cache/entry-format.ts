import { createHash } from "node:crypto";

/** Every entry begins with this line, which says what wrote it and how. */
const magic = Buffer.from("graphloom cache entry 1\n");
const digestLength = 32;

/**
 * The bytes of an entry's file: a line that says what it is, a digest, and what is kept.
 * @param name the entry's name; an entry under another name than its own is damaged
 */
export function encodeEntry(name: string, payload: Uint8Array): Uint8Array {
  return Buffer.concat([magic, digestOf(name, payload), payload]);
}

/** What is kept in an entry; nothing when the file is not exactly what was written under that name. */
export function decodeEntry(name: string, file: Uint8Array): Uint8Array | undefined {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const payload = bytes.subarray(magic.length + digestLength);
  const isWhole =
    bytes.subarray(0, magic.length).equals(magic) &&
    bytes.subarray(magic.length, magic.length + digestLength).equals(digestOf(name, payload));
  return isWhole ? payload : undefined;
}

function digestOf(name: string, payload: Uint8Array): Buffer {
  return createHash("sha256").update(`${name}\n`).update(payload).digest();
}
