import type { SubgraphModel } from "../model/subgraph.js";
import { emitAbiJson } from "./abi-json.js";
import { emitManifest, type ManifestPaths } from "./manifest.js";
import { type EmittedManifest, emittedManifests } from "./manifest-names.js";
import { emitSchema } from "./schema.js";
import type { Templates } from "./templates.js";

const lineWidth = 90;

/** The least width of a folded line's text. */
const minWidth = 20;

/** The builds of a model, as files. */
export interface BuildFiles {
  /** By path relative to the project. */
  readonly files: ReadonlyMap<string, string | Uint8Array>;
  /** One for each chain, in the model's order. */
  readonly builds: readonly { readonly chain: string; readonly manifest: string }[];
}

const manifestName = "subgraph.yaml";

/**
 * Lays out the builds as `graph build` does: per chain a manifest, the schema, one WASM shared by all data
 * sources and templates, and a folder per source with its ABIs.
 */
export function buildFiles(model: SubgraphModel, wasm: Uint8Array, templates: Templates): BuildFiles {
  const files = new Map<string, string | Uint8Array>();
  const schema = emitSchema(model.entities, templates);
  const manifests = emittedManifests(model);
  for (const manifest of manifests) {
    for (const [path, content] of chainFiles(model, manifest, schema, wasm, templates)) {
      files.set(`${manifest.buildFolder}/${path}`, content);
    }
  }
  const builds = manifests.map(({ chain, buildFolder }) => ({
    chain,
    manifest: `${buildFolder}/${manifestName}`,
  }));
  return { files, builds };
}

function chainFiles(
  model: SubgraphModel,
  { model: chain }: EmittedManifest,
  schema: string,
  wasm: Uint8Array,
  templates: Templates,
): ReadonlyMap<string, string | Uint8Array> {
  // The WASM goes into the folder of the first data source. There always is one, because only data sources can create
  // templates' contracts.
  const first = chain.dataSources[0]?.name ?? chain.chain;
  const wasmPath = `${first}/${first}.wasm`;
  const paths: ManifestPaths = {
    schema: "schema.graphql",
    mapping: () => wasmPath,
    abi: (source, abi) => `${source.name}/${abi.className}.json`,
  };
  const files = new Map<string, string | Uint8Array>([
    [manifestName, foldLines(emitManifest(model, chain, paths, templates))],
    ["schema.graphql", schema],
    [wasmPath, wasm],
  ]);
  const abiTexts = new Map(model.abis.map((abi) => [abi, emitAbiJson(abi.abi).trimEnd()]));
  for (const source of [...chain.dataSources, ...chain.templates]) {
    for (const abi of source.abis) files.set(paths.abi(source, abi), abiTexts.get(abi) ?? "");
  }
  return files;
}

/**
 * Folds the long plain values of a manifest as `graph build` does, so that the built manifest is identical to the
 * byte. Values without spaces stay whole.
 */
export function foldLines(manifest: string): string {
  return manifest.replace(
    /^( *)(- )?(\w+): ([^"'\n]+)$/gm,
    (line, indent: string, dash: string | undefined, key: string, value: string) => {
      if (value.length <= lineWidth - key.length - 2) return line;
      const inner = `${indent}${dash ? "  " : ""}  `;
      return `${indent}${dash ?? ""}${key}: ${folded(value, key.length + 2, inner)}`;
    },
  );
}

/**
 * Breaks a text at the last single space before the end of each line. Like `graph build`'s library, counts the key's
 * width in the first line, but not its indentation.
 */
function folded(value: string, used: number, indent: string): string {
  const step = Math.max(1 + minWidth, 1 + lineWidth - indent.length);
  const lines: string[] = [];
  let start = 0;
  let end = lineWidth - used;
  let blank: number | undefined;
  for (let at = 1; at < value.length; at++) {
    if (value[at] === " " && value[at - 1] !== " " && value[at + 1] !== " ") blank = at;
    if (at < end || blank === undefined) continue;
    lines.push(value.slice(start, blank));
    start = blank + 1;
    end = blank + step;
    blank = undefined;
  }
  return [...lines, value.slice(start)].join(`\n${indent}`);
}
