import type { SubgraphModel } from "../model/subgraph.js";
import { emitAbiJson } from "./abi-json.js";
import { emitManifest, type ManifestPaths } from "./manifest.js";
import { type EmittedManifest, emittedManifests } from "./manifest-names.js";
import { emitSchema } from "./schema.js";
import type { Templates } from "./templates.js";

/**
 * Lays out what `graph build` would have written: per chain a manifest, the schema, one WASM that every data source
 * and template refers to, and every source's ABIs in a folder of its own.
 * @returns by path relative to the project
 */
export function buildFiles(
  model: SubgraphModel,
  wasm: Uint8Array,
  templates: Templates,
): ReadonlyMap<string, string | Uint8Array> {
  const files = new Map<string, string | Uint8Array>();
  const schema = emitSchema(model.entities, templates);
  for (const manifest of emittedManifests(model)) {
    for (const [path, content] of chainFiles(model, manifest, schema, wasm, templates)) {
      files.set(`${manifest.buildFolder}/${path}`, content);
    }
  }
  return files;
}

function chainFiles(
  model: SubgraphModel,
  { model: chain }: EmittedManifest,
  schema: string,
  wasm: Uint8Array,
  templates: Templates,
): ReadonlyMap<string, string | Uint8Array> {
  // The first data source holds the WASM; there is always one, since templates are only reached from it.
  const first = chain.dataSources[0]?.name ?? chain.chain;
  const wasmPath = `${first}/${first}.wasm`;
  const paths: ManifestPaths = {
    schema: "schema.graphql",
    mapping: () => wasmPath,
    abi: (source, abi) => `${source.name}/${abi.className}.json`,
  };
  const files = new Map<string, string | Uint8Array>([
    ["subgraph.yaml", emitManifest(model, chain, paths, templates)],
    ["schema.graphql", schema],
    [wasmPath, wasm],
  ]);
  const abiTexts = new Map(model.abis.map((abi) => [abi, emitAbiJson(abi.abi).trimEnd()]));
  for (const source of [...chain.dataSources, ...chain.templates]) {
    for (const abi of source.abis) files.set(paths.abi(source, abi), abiTexts.get(abi) ?? "");
  }
  return files;
}
