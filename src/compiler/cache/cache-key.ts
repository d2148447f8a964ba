import { createHash } from "node:crypto";

/**
 * The key of a result: the SHA-256, in hex, of what it is the result of.
 * @param kind keeps results of different kinds apart
 * @param data plain JSON data; equal data, their order included, give equal keys, and different data different ones
 */
export function cacheKey(kind: string, data: unknown): string {
  return digest(JSON.stringify([kind, data]));
}

/** The SHA-256 of bytes or of a text, in hex. */
export function digest(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
