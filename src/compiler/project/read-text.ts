import type { Host } from "../host.js";
import { decodeText } from "../parse/decode-text.js";
import { whyUnread } from "../parse/why-unread.js";

/** Size limit in bytes of a file of a project. */
const limit = 64 * 1024 * 1024;

/** The text of a file, or why it is missing, in words that follow the file's name. */
export type TextRead =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "missing"; readonly reason: string }
  | { readonly kind: "unusable"; readonly reason: string };

/** Reads a text file. @param path for the host */
export async function readText(path: string, host: Host): Promise<TextRead> {
  const read = await host.readFile(path, limit);
  if (read.kind !== "bytes")
    return { kind: read.kind === "missing" ? "missing" : "unusable", reason: whyUnread(read, limit) };
  const decoded = decodeText(read.bytes);
  return decoded.kind === "text"
    ? { kind: "text", text: decoded.text }
    : { kind: "unusable", reason: "is not UTF-8" };
}
