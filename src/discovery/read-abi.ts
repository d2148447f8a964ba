import type { Abi } from "../compiler/abi/abi.js";
import { Report } from "../compiler/diagnostics/report.js";
import type { Host } from "../compiler/host.js";
import { findAbi } from "../compiler/load/find-abi.js";
import { decodeText } from "../compiler/parse/decode-text.js";
import type { Source } from "../compiler/source/source.js";
import { parseAbi } from "../compiler/validate/parse-abi.js";

/** An ABI that can be indexed: all its entries were understood. */
export interface ContractAbi {
  readonly kind: "abi";
  /** The entries as JSON, in file order. */
  readonly entries: readonly unknown[];
  readonly abi: Abi;
}

/** No ABI; the reason is a predicate that follows the name of the source: `is a web page (HTML)`. */
export interface NoContractAbi {
  readonly kind: "none";
  readonly why: string;
}

/** Maximum size of an ABI file in bytes. Artifacts contain bytecode, and some contain sources. */
export const largestAbiFile = 16 * 1024 * 1024;

/** Reads the ABI in a text: bare, in an artifact, or in an explorer's response. */
export function readAbi(path: string, text: string): ContractAbi | NoContractAbi {
  const source: Source = { path, text };
  const found = findAbi({
    text,
    place: ({ start, end }, pointer) => ({ source, pointer, start, end }),
  });
  if (found.kind !== "abi") return { kind: "none", why: found.what };
  const report = new Report();
  const abi = parseAbi({ ...found, source }, report);
  const [first] = report.diagnostics.filter(({ severity }) => severity === "error");
  return first
    ? { kind: "none", why: `cannot be read: ${first.message}` }
    : { kind: "abi", entries: found.entries, abi };
}

/**
 * Reads the ABI in a file. Converts a human-readable one to JSON; a configuration cannot use that file
 * directly.
 */
export async function readAbiFile(
  path: string,
  host: Host,
): Promise<(ContractAbi & { readonly isTurned: boolean }) | NoContractAbi> {
  const read = await readTextFile(path, host);
  if (read.kind === "none") return read;
  const abi = readAbi(path, read.text);
  if (abi.kind === "abi") return { ...abi, isTurned: false };
  const { turnAbi } = await import("./turn-abi.js");
  const turned = turnAbi(read.text);
  if (turned?.kind !== "turned") return turned ?? abi;
  const again = readAbi(path, JSON.stringify(turned.entries));
  return again.kind === "abi" ? { ...again, isTurned: true } : again;
}

/** Reads a text file that is not too large. */
export async function readTextFile(
  path: string,
  host: Host,
): Promise<{ readonly kind: "text"; readonly text: string } | NoContractAbi> {
  const read = await host.readFile(path, largestAbiFile);
  if (read.kind === "bytes") {
    const decoded = decodeText(read.bytes);
    return decoded.kind === "text" ? decoded : { kind: "none", why: "is not UTF-8 text" };
  }
  return { kind: "none", why: reasons[read.kind] };
}

const reasons = {
  missing: "does not exist",
  directory: "is a folder",
  device: "is a device or a pipe",
  "endless-link": "is a circular symbolic link",
  unreadable: "cannot be read",
  outside: "is outside the folder of this command",
  "too-large": "is larger than 16 MB",
} as const;
