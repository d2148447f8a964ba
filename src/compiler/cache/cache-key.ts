import { createHash } from "node:crypto";

/**
 * The cache key of a result: the SHA-256, in hex, of its inputs.
 * @param kind namespace of the key
 * @param data the inputs as plain JSON data; equal data with equal order of keys give equal cache keys,
 * different data different ones
 */
export function cacheKey(kind: string, data: unknown): string {
  return digest(JSON.stringify([kind, data]));
}

/** SHA-256 of bytes or of a text, in hex. */
export function digest(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
