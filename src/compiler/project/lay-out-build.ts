import { posix } from "node:path";
import { Scalar, stringify } from "yaml";
import type { GraphCliRules } from "../abi/graph-cli-rules.js";
import { toPlain } from "../source/to-plain.js";
import type { Mapping } from "./compile-mappings.js";
import { inImmutableOrder } from "./immutable-order.js";
import type { ProjectAbis } from "./project-abis.js";
import type { ProjectManifest, ProjectSource } from "./project-manifest.js";
import type { ReadSchema } from "./read-schema.js";

/** Values of a manifest that paths in the build replace. */
interface BuiltSource {
  mapping: { file?: unknown; abis?: { file?: unknown }[] };
}

interface BuiltManifest {
  schema: { file?: unknown };
  dataSources: BuiltSource[];
  templates?: BuiltSource[];
}

/** The files of a build as graph-cli lays them out, by path in the build folder. */
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
    // A source without ABIs gets an empty list, a template does not.
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

/** A path that would lead out of the build becomes one in the folder of its source. */
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
