import { InternalError } from "../../base/invariant.js";
import type { Report } from "../diagnostics/report.js";
import type { Host } from "../host.js";
import { decodeText } from "../parse/decode-text.js";
import { isYaml, parseDocument, type YamlParser } from "../parse/parse-document.js";
import type { Source } from "../source/source.js";
import type { TreeNode } from "../source/tree.js";
import { unread } from "./unread-config.js";

/** Size limit in bytes, far beyond any real configuration. */
export const configLimit = 64 * 1024 * 1024;

/**
 * Reads the configuration file, or standard input for `-`.
 * @param beginning as of `parseDocument`
 * @param refuses reports a text that is not worth parsing, and returns whether it is one
 * @returns `undefined` after a reported error
 */
export async function loadConfig(
  path: string,
  host: Host,
  report: Report,
  beginning?: string,
  refuses: (source: Source, report: Report) => boolean = () => false,
): Promise<TreeNode | undefined> {
  const file = await host.readFile(path, configLimit);
  const name = path === "-" ? "<stdin>" : path;
  if (file.kind !== "bytes") {
    const { code, message, hint } = await unread(path, file, host);
    report.error(code, undefined, message, { hint });
    return undefined;
  }
  const source = decode(name, file.bytes, report);
  if (!source || refuses(source, report)) return undefined;
  return parseDocument(source, report, await yamlParser(source), beginning);
}

/** Loads the YAML parser only for YAML configurations. */
async function yamlParser(source: Source): Promise<YamlParser> {
  if (isYaml(source)) return (await import("../parse/parse-yaml.js")).parseYaml;
  return () => {
    throw new InternalError("a JSON configuration was read as YAML");
  };
}

function decode(path: string, bytes: Uint8Array, report: Report): Source | undefined {
  const decoded = decodeText(bytes);
  if (decoded.kind === "text") return { path, text: decoded.text };
  const text = decoded.kind === "invalid" ? decoded.text : "";
  const at = { source: { path, text }, pointer: "", start: text.length, end: text.length };
  const hint = "save the file as UTF-8";
  if (decoded.kind === "other-encoding") {
    report.error("not-utf8", at, `this file is encoded as ${decoded.encoding}, not as UTF-8`, { hint });
    return undefined;
  }
  report.error("not-utf8", at, `byte ${decoded.byte + 1} of this file is not UTF-8`, {
    label: describeByte(bytes[decoded.byte]),
    hint,
  });
  return undefined;
}

/** Describes a byte that is not UTF-8, with its Latin-1 character, because such files are usually in Latin-1. */
function describeByte(byte = 0): string {
  const hex = `0x${byte.toString(16).padStart(2, "0")}`;
  return byte < 0xa0 ? `the byte ${hex}` : `the byte ${hex}, in Latin-1 "${String.fromCharCode(byte)}"`;
}
