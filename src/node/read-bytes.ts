import { readFile } from "node:fs/promises";
import { fileReasons } from "../base/file-reasons.js";

const reasons: Readonly<Record<string, string>> = {
  ...fileReasons,
  ENOENT: "there is no such file",
  EISDIR: "it is a folder",
};

/** Reads a file. @param path absolute @returns its content, or why it cannot be read */
export async function readBytes(path: string): Promise<Buffer | { readonly reason: string }> {
  return readFile(path).catch((error: NodeJS.ErrnoException) => ({
    reason: reasons[error.code ?? ""] ?? error.message,
  }));
}
