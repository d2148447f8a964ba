import { readFileSync } from "node:fs";

/**
 * Reads a file for a program that cannot wait, such as a test in WebAssembly.
 * @param path absolute
 * @returns `undefined` if the file is missing or unreadable
 */
export function readNow(path: string): Uint8Array | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if (error instanceof Error && "code" in error) return undefined;
    throw error;
  }
}
