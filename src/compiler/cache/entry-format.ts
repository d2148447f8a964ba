import { createHash } from "node:crypto";

/** First line of every entry: format and version. */
const magic = Buffer.from("graphloom cache entry 1\n");
const digestLength = 32;

/**
 * Encodes an entry as a file: the format line, a digest, and the payload.
 * @param name the entry's name; under another name, the entry counts as corrupt
 */
export function encodeEntry(name: string, payload: Uint8Array): Uint8Array {
  return Buffer.concat([magic, digestOf(name, payload), payload]);
}

/** The payload of an entry; `undefined` if the file is corrupt. */
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
