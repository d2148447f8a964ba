/** Bytes in the database's text form, for a parameter that is a `bytea`. */
export function bytesText(bytes: Uint8Array): string {
  return `\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("hex")}`;
}

/** The bytes of a `bytea` in the database's text form. */
export function parseBytes(text: string): Uint8Array {
  return Buffer.from(text.slice("\\x".length), "hex");
}
