import { posix } from "node:path";
import { Scalar, stringify } from "yaml";
import type { GraphCliRules } from "../abi/graph-cli-rules.js";
import { toPlain } from "../source/to-plain.js";
import type { Mapping } from "./compile-mappings.js";
import type { ProjectManifest, ProjectSource } from "./manifest/project-manifest.js";
import type { ProjectAbis } from "./project-abis.js";
import type { ReadSchema } from "./schema/read-schema.js";

/** Number of keys up to which graph-cli's maps keep insertion order. */
const mostInOrder = 8;

/** Number of hash bits per level of a map's tree. */
const bitsPerLevel = 5;

/** The values of a manifest that are replaced with paths in the build. */
interface BuiltSource {
  mapping: { file?: unknown; abis?: { file?: unknown }[] };
}

interface BuiltManifest {
  schema: { file?: unknown };
  dataSources: BuiltSource[];
  templates?: BuiltSource[];
}

/** The files of a build as graph-cli lays them out, by path within the build folder. */
export async function layOutBuild(
  manifest: ProjectManifest,
  sources: readonly ProjectSource[],
  schema: ReadSchema,
  wasm: ReadonlyMap<Mapping, Uint8Array>,
  { abis, rules }: { readonly abis: ProjectAbis; readonly rules: GraphCliRules },
): Promise<ReadonlyMap<string, string | Uint8Array>> {
  const files = new Map<string, string | Uint8Array>();
  const data = toPlain(manifest.tree) as BuiltManifest;
  for (const [mapping, bytes] of wasm) {
    const path = wasmPath(mapping.sources[0]);
    files.set(path, bytes);
    for (const { path: place } of mapping.sources) builtAt(data, place).mapping.file = path;
  }
  const schemaFile = posix.basename(schema.file);
  files.set(schemaFile, schema.text);
  data.schema.file = schemaFile;
  for (const source of sources) {
    const { mapping } = builtAt(data, source.path);
    // A data source without ABIs gets an empty list; a template does not.
    mapping.abis ??= [];
    for (const [at, abi] of source.abis.entries()) {
      const read = await abis.read(abi);
      const built = mapping.abis[at];
      if (!read || !built) continue;
      const path = abiPath(source, abi.file, rules);
      files.set(path, JSON.stringify(inImmutableOrder(read.json), null, 2));
      built.file = path;
    }
  }
  const text = stringify(inImmutableOrder(data), { defaultKeyType: Scalar.PLAIN, lineWidth: 90 });
  files.set("subgraph.yaml", text);
  return files;
}

/** A path that would lead out of the build is moved into its source's folder. */
function abiPath({ name }: ProjectSource, file: string, { flatAbis }: GraphCliRules): string {
  const path = posix.join(name, flatAbis ? posix.basename(file) : file);
  return path.startsWith("..") || posix.isAbsolute(file) ? posix.join(name, posix.basename(file)) : path;
}

function builtAt(data: BuiltManifest, [list, at]: ProjectSource["path"]): BuiltSource {
  const sources = list === "templates" ? data.templates : data.dataSources;
  return sources?.[Number(at)] ?? { mapping: {} };
}

function wasmPath({ name, isTemplate }: ProjectSource): string {
  return posix.join(...(isTemplate ? ["templates"] : []), name, `${name}.wasm`);
}

/**
 * Plain data with keys in the order in which graph-cli writes them. Its maps forget the order of more than eight
 * keys, and list them by the digits of their hashes instead.
 */
function inImmutableOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inImmutableOrder);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  const ordered = entries.length > mostInOrder ? entries.toSorted(([a], [b]) => compareKeys(a, b)) : entries;
  // Not `fromEntries` of a literal: a key may be `__proto__`.
  const result: Record<string, unknown> = Object.create(null);
  for (const [key, part] of ordered) result[key] = inImmutableOrder(part);
  return result;
}

function compareKeys(a: string, b: string): number {
  const [one, other] = [hashOf(a), hashOf(b)];
  for (let shift = 0; shift < 32; shift += bitsPerLevel) {
    const difference = ((one >>> shift) & 31) - ((other >>> shift) & 31);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The hash of a text in Java, made to fit in 31 bits. */
function hashOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (31 * hash + text.charCodeAt(at)) | 0;
  return ((hash >>> 1) & 0x40000000) | (hash & 0xbfffffff);
}
