import { createKeccak } from "hash-wasm";

/** The hasher of this thread. It is compiled once, when this module is loaded. */
const hasher = await createKeccak(256);

/**
 * Computes the Keccak-256 hash of bytes, in WebAssembly: proofs of blocks hash so much that JavaScript would take most of
 * their time.
 * @param data bytes, or hex with 0x
 * @returns hex with 0x
 */
export function keccak256(data: Uint8Array | string): string {
  const bytes = typeof data === "string" ? Buffer.from(data.slice(2), "hex") : data;
  return `0x${hasher.init().update(bytes).digest()}`;
}
