import type { Code } from "../diagnostics/catalog.js";
import type { Report } from "../diagnostics/report.js";
import type { FileRead, Host } from "../host.js";
import { decodeText } from "../source/decode-text.js";
import { parseDocument } from "../source/parse-document.js";
import type { Source } from "../source/source.js";
import type { TreeNode } from "../source/tree.js";

/** No configuration written by hand or by a program comes near it. */
export const configLimit = 64 * 1024 * 1024;

/**
 * Reads the configuration file, or standard input for `-`.
 * @returns nothing when it cannot be read, which is then reported
 */
export async function loadConfig(path: string, host: Host, report: Report): Promise<TreeNode | undefined> {
  const file = await host.readFile(path, configLimit);
  const name = path === "-" ? "<stdin>" : path;
  if (file.kind !== "bytes") {
    reportUnread(name, file, report);
    return undefined;
  }
  const source = decode(name, file.bytes, report);
  if (!source) return undefined;
  if (source.text.trim() === "") {
    report.error("empty-config", { source, pointer: "", start: 0, end: 0 }, "the configuration is empty", {
      hint: 'begin with { "version": "1" }',
    });
    return undefined;
  }
  return parseDocument(source, report);
}

function reportUnread(name: string, file: Exclude<FileRead, { kind: "bytes" }>, report: Report): void {
  const what = JSON.stringify(name);
  const [code, message, hint] = {
    missing: ["config-missing", `there is no configuration file ${what}`, undefined],
    directory: [
      "config-unreadable",
      `${what} is a folder, not a configuration file`,
      "name the file inside it",
    ],
    device: [
      "config-unreadable",
      `${what} is a device or a pipe, not a file`,
      'write "-" to read standard input',
    ],
    unreadable: ["config-unreadable", `${what} cannot be read`, "check the permissions of the file"],
    "too-large": ["config-too-large", `${what} is larger than the limit of 64 MB`, undefined],
  }[file.kind] as [Code, string, string | undefined];
  report.error(code, undefined, message, { hint });
}

function decode(path: string, bytes: Uint8Array, report: Report): Source | undefined {
  const decoded = decodeText(bytes);
  if (decoded.kind === "text") return { path, text: decoded.text };
  if (decoded.kind === "other-encoding") {
    const at = { source: { path, text: "" }, pointer: "", start: 0, end: 0 };
    report.error("not-utf8", at, `this file is encoded as ${decoded.encoding}, not as UTF-8`, {
      hint: "save it as UTF-8",
    });
    return undefined;
  }
  const end = decoded.text.length;
  const at = { source: { path, text: decoded.text }, pointer: "", start: end, end };
  report.error("not-utf8", at, `byte ${decoded.byte + 1} of this file is not UTF-8`, {
    hint: "save the file as UTF-8",
  });
  return undefined;
}
