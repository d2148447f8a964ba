import type { Abi } from "../compiler/abi/abi.js";
import { Report } from "../compiler/diagnostics/report.js";
import type { FileRead, Host } from "../compiler/host.js";
import { load } from "../compiler/load/load.js";
import type { LoadedAbi } from "../compiler/load/loaded-project.js";
import type { Source } from "../compiler/source/source.js";
import { memberAt, type TreeNode } from "../compiler/source/tree.js";
import { parseAbi } from "../compiler/validate/parse-abi.js";

/** A configuration as far as it can be read. */
export interface ReadConfig {
  readonly source: Source;
  readonly tree: TreeNode;
  readonly abis: ReadonlyMap<string, ReadAbi>;
}

/** An ABI of a configuration. */
export interface ReadAbi {
  readonly abi: Abi;
  readonly loaded: LoadedAbi;
}

/**
 * A host that reads open documents instead of files.
 * @param textOf the text of an open document by its absolute path; `undefined` for other files
 */
export function overlayHost(host: Host, textOf: (path: string) => string | undefined): Host {
  return {
    ...host,
    async readFile(path, limit): Promise<FileRead> {
      const text = textOf(path);
      if (text === undefined) return host.readFile(path, limit);
      const bytes = Buffer.from(text);
      return bytes.length > limit ? { kind: "too-large", size: bytes.length } : { kind: "bytes", bytes };
    },
  };
}

/**
 * Reads a configuration with its ABIs.
 * @param path absolute
 * @returns `undefined` if its text cannot be parsed
 */
export async function readConfig(path: string, host: Host): Promise<ReadConfig | undefined> {
  const project = await load(path, host, new Report());
  if (!project) return undefined;
  const abis = [...project.abis].map(
    ([name, loaded]) => [name, { loaded, abi: parseAbi(loaded, new Report()) }] as const,
  );
  return { source: project.config.at.source, tree: project.config, abis: new Map(abis) };
}

/**
 * Reads a configuration that is being typed at an offset, and does not parse yet: something is put behind what is there.
 * Offsets before the cursor stay as they are.
 * @param text as it is in the editor
 */
export async function readTyped(
  path: string,
  text: string,
  offset: number,
  host: Host,
): Promise<ReadConfig | undefined> {
  for (const candidate of completedTexts(text, offset)) {
    const read = await readConfig(
      path,
      overlayHost(host, (asked) => (asked === path ? candidate : undefined)),
    );
    if (read) return read;
  }
  return undefined;
}

/** A text as it is, and with what may be missing at the cursor. */
export function completedTexts(text: string, offset: number): readonly string[] {
  // To the end of the string or the word at the cursor.
  const rest = /^(?:[^"\n]*"|[\w-]*)/.exec(text.slice(offset))?.[0] ?? "";
  const end = offset + rest.length;
  const put = (at: number, more: string): string => text.slice(0, at) + more + text.slice(at);
  return [text, ...[": null", ": null,", ",", '"', '": null', '": null,'].map((more) => put(end, more))];
}

/** Whether a document is a configuration: it has instances and ABIs, or names the schema. */
export function isConfig(tree: TreeNode): boolean {
  if (tree.kind !== "object") return false;
  const schema = memberAt(tree, ["$schema"]);
  if (schema?.kind === "string" && schema.value.includes("config-v1.schema.json")) return true;
  return ["abis", "instances"].every((key) => memberAt(tree, [key]) !== undefined);
}
