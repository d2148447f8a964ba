import { readFileSync, statSync } from "node:fs";
import { fileReasons } from "../../base/file-reasons.js";

/** Maximum size of a settings file, in bytes. */
const mostBytes = 4_000_000;

const reasons: Readonly<Record<string, string>> = {
  ...fileReasons,
  ENOENT: "the file does not exist",
  EISDIR: "it is a folder",
};

/** Reads a file that an operator writes. @returns why it cannot be read, in words that can follow a colon */
export function readSettingsFile(path: string): { readonly text: string } | { readonly why: string } {
  try {
    if (statSync(path).size > mostBytes) return { why: `it is larger than ${mostBytes / 1_000_000} MB` };
    return { text: readFileSync(path, "utf8") };
  } catch (error) {
    if (!(error instanceof Error && "code" in error && typeof error.code === "string")) throw error;
    return { why: reasons[error.code] ?? error.code };
  }
}
