import type { FileRead } from "../../compiler/host.js";

/**
 * Why a file could not be read, in words that can follow a colon.
 * @param limit in bytes
 */
export function readReason({ kind }: Exclude<FileRead, { kind: "bytes" }>, limit: number): string {
  return kind === "too-large" ? `it is larger than ${limit / 1_000_000} MB` : reasons[kind];
}

const reasons: Readonly<Record<Exclude<FileRead["kind"], "bytes" | "too-large">, string>> = {
  missing: "there is no such file",
  directory: "it is a folder",
  device: "it is a device",
  "endless-link": "it is a circular symbolic link",
  unreadable: "it is not readable",
  outside: "it is outside the folder of this command",
};
