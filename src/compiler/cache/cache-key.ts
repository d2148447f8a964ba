import { createHash } from "node:crypto";

/**
 * The cache key of a result: the SHA-256 of its inputs, as hex.
 * @param kind namespace of the key
 * @param data the inputs as plain JSON data; the order of keys matters
 */
export function cacheKey(kind: string, data: unknown): string {
  return digest(JSON.stringify([kind, data]));
}

/** SHA-256 of bytes or of a text, as hex. */
export function digest(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
