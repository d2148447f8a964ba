import { quote, quotePath } from "../../base/text/quote.js";
import type { Code } from "../diagnostics/catalog.js";
import type { RelatedPlace } from "../diagnostics/diagnostic.js";
import type { Report } from "../diagnostics/report.js";
import type { FileRead, Host } from "../host.js";
import { decodeText } from "../parse/decode-text.js";
import type { Source } from "../source/source.js";
import { toPlain } from "../source/to-plain.js";
import {
  type ArrayNode,
  member,
  memberAt,
  nodeAt,
  type ObjectNode,
  type StringNode,
  type TreeNode,
} from "../source/tree.js";
import { abiHomes, type FoundAbi, findAbi } from "./find-abi.js";
import type { LoadedAbi } from "./loaded-project.js";
import { isUrl, NearbyAbis } from "./nearby-abis.js";
import { refuseAnswer, refuseArray } from "./refuse-abi.js";

/**
 * Size limit in bytes. The largest known ABI has 2 MB; an artifact with bytecode may have ten times that.
 */
export const abiLimit = 64 * 1024 * 1024;

/** The result of reading an ABI file, shared by all declarations that name it. */
type AbiFile = LoadedAbi | Refusal;

/** Why there is no ABI. */
interface Refusal {
  readonly code: Code;
  /** The problem, as a predicate that follows the name of the file. */
  readonly what: string;
  readonly hint: string;
  /** Location of the problem inside the file. */
  readonly fault?: RelatedPlace | undefined;
}

/** Reads all ABIs that the configuration declares. Reports and leaves out unreadable ones. */
export async function loadAbis(
  config: TreeNode,
  configPath: string,
  host: Host,
  report: Report,
): Promise<ReadonlyMap<string, LoadedAbi>> {
  const abis = new Map<string, LoadedAbi>();
  const files = new Map<string, AbiFile>();
  const nearby = new NearbyAbis(configPath, host);
  const declared = member(config, "abis")?.value;
  if (declared?.kind !== "object") return abis;
  for (const { key, value } of declared.members) {
    const path = member(value, "path")?.value;
    let found: LoadedAbi | undefined;
    if (value.kind === "array") found = inlineArray(value, report);
    else if (value.kind === "string")
      found = inlineString(value, report, await isAbiFile(value.value, configPath, host));
    else if (path?.kind === "string") found = await fromFile(path, configPath, host, files, nearby, report);
    else if (value.kind === "object" && !path) found = inlineObject(value, report);
    if (found) abis.set(key.value, found);
  }
  return abis;
}

function inlineArray(node: ArrayNode, report: Report): LoadedAbi | undefined {
  const entries = node.items.map(toPlain);
  const refusal = refuseArray(entries);
  if (refusal) {
    report.error("not-an-abi", node.at, `the list given as an ABI ${refusal.what}`, {
      label: "read as an ABI",
      hint: refusal.hint,
    });
    return undefined;
  }
  return {
    entries,
    source: node.at.source,
    locateEntry: (index, path = []) => nodeAt(node, [index, ...path]).at,
  };
}

/** Reads an artifact or an explorer's response written inline. Reports any other object. */
function inlineObject(node: ObjectNode, report: Report): LoadedAbi | undefined {
  for (const path of abiHomes) {
    const inner = memberAt(node, path);
    if (inner?.kind === "array") return inlineArray(inner, report);
    if (inner?.kind !== "string") continue;
    const refusal = refuseAnswer(inner.value, path);
    if (!refusal) return inlineString(inner, report);
    const { what, hint } = refusal;
    report.error("not-an-abi", inner.at, `the object given as an ABI ${what}`, {
      label: "read as an ABI",
      hint,
    });
    return undefined;
  }
  const key = node.members.find((one) => abiHomes.some(([home]) => home === one.key.value))?.key;
  if (!key) return undefined;
  report.error("not-an-abi", key.at, `the object given as an ABI has no ABI under ${quote(key.value)}`, {
    label: "read as an ABI",
    hint: 'give an ABI array, or the path of a file: { "path": "./abis/Name.json" }',
  });
  return undefined;
}

async function isAbiFile(text: string, configPath: string, host: Host): Promise<boolean> {
  if (!/^[^[{<"\r\n]{1,1000}$/.test(text) || isUrl(text)) return false;
  return !("code" in (await readAbiFile(text, host.resolveBeside(configPath, text), host)));
}

/** @param isPath whether the text names an ABI file */
function inlineString(node: StringNode, report: Report, isPath = false): LoadedAbi | undefined {
  const found = findAbi({ text: node.value, place: ({ start, end }) => node.part(start, end) });
  if (found.kind === "abi") return { ...found, source: node.at.source };
  const looksLikePath = isPath || /^[^[{<"\n]*\.json$/i.test(node.value.trim());
  const { fault, what } = found;
  report.error("not-an-abi", fault?.at ?? node.at, `the text given as an ABI ${what}`, {
    label: fault?.text ?? "read as an ABI",
    hint: looksLikePath ? `write { "path": ${JSON.stringify(node.value)} } to name a file` : found.hint,
    ...(isPath && { fix: [{ kind: "wrap", at: node.at, under: "path" }] }),
  });
  return undefined;
}

async function fromFile(
  path: StringNode,
  configPath: string,
  host: Host,
  files: Map<string, AbiFile>,
  nearby: NearbyAbis,
  report: Report,
): Promise<LoadedAbi | undefined> {
  const resolved = host.resolveBeside(configPath, path.value);
  const file = files.get(resolved) ?? (await readAbiFile(path.value, resolved, host));
  files.set(resolved, file);
  if (!("code" in file)) return file;
  const { code, what, hint, fault } = file;
  const around = code === "abi-missing" ? await nearby.insteadOf(path) : undefined;
  report.error(code, path.at, `the ABI file ${quotePath(path.value)} ${what}`, {
    label: `leads to ${resolved}`,
    related: fault ? [fault] : [],
    hint,
    ...around,
  });
  return undefined;
}

async function readAbiFile(written: string, path: string, host: Host): Promise<AbiFile> {
  const file = await host.readFile(path, abiLimit);
  if (file.kind !== "bytes") return unread(written, file);
  const decoded = decodeText(file.bytes);
  if (decoded.kind !== "text") {
    const what =
      decoded.kind === "invalid"
        ? `is not text: byte ${decoded.byte + 1} is not UTF-8`
        : `is encoded as ${decoded.encoding}`;
    return { code: "not-utf8", what, hint: "save it as UTF-8" };
  }
  const source: Source = { path, text: decoded.text };
  const found: FoundAbi = findAbi({
    text: source.text,
    place: ({ start, end }, pointer) => ({ source, pointer, start, end }),
  });
  if (found.kind === "abi") return { ...found, source };
  return { code: "not-an-abi", what: found.what, hint: found.hint, fault: found.fault };
}

function unread(written: string, file: Exclude<FileRead, { kind: "bytes" }>): Refusal {
  switch (file.kind) {
    case "missing":
      return { code: "abi-missing", what: "does not exist", hint: missingHint(written) };
    case "directory":
      return { code: "abi-unreadable", what: "is a folder", hint: "give the path of the ABI file inside it" };
    case "device":
      return { code: "abi-unreadable", what: "is a device or a pipe", hint: "copy the ABI to a file" };
    case "endless-link":
      return {
        code: "abi-unreadable",
        what: "is a circular symbolic link",
        hint: "point the link to the file itself",
      };
    case "unreadable":
      return { code: "abi-unreadable", what: "cannot be read", hint: "check the file's permissions" };
    case "outside":
      return {
        code: "abi-unreadable",
        what: "is outside the folder of this command",
        hint: "start the command in a folder that contains it",
      };
    case "too-large":
      return {
        code: "abi-too-large",
        what: "is larger than the limit of 64 MB",
        hint: "use a file that contains only the ABI",
      };
  }
}

function missingHint(written: string): string {
  if (isUrl(written)) return "download the ABI and give the path of the file";
  if (written.includes("\\")) return 'separate folders with "/"';
  return "paths are relative to the folder of the configuration file";
}
