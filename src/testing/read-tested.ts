import { posix } from "node:path";
import type { ManifestNode } from "../subgraph/manifest/manifest-node.js";
import { parseManifest } from "../subgraph/manifest/parse-manifest.js";
import { readSchema } from "../subgraph/schema/read-schema.js";
import type { HandlersOfSource } from "./coverage.js";
import type { TestedSubgraph } from "./matchstick/test-world.js";

/** The facts that tests need from the manifest of a hand-written subgraph. */
export interface TestedManifest {
  /** Relative to the manifest. */
  readonly schemaFile: string;
  /** Kinds by name. */
  readonly templates: ReadonlyMap<string, string>;
  /** The handlers of data sources and templates. */
  readonly sources: readonly HandlersOfSource[];
}

/** @throws BundleError for text that is not a manifest */
export function readTestedManifest(text: string, name: string): TestedManifest {
  const { root } = parseManifest(text, name);
  const [sources, templates] = [root.at("dataSources").items(), root.at("templates").items()];
  return {
    schemaFile: fileOf(root.at("schema").at("file")),
    templates: new Map(templates.map((template) => [template.at("name").text(), template.at("kind").text()])),
    sources: [...sources, ...templates].filter((source) => source.at("mapping").exists).map(handlersOf),
  };
}

function fileOf(node: ManifestNode): string {
  return posix.normalize(node.text());
}

const lists = ["eventHandlers", "callHandlers", "blockHandlers", "transactionHandlers"] as const;

function handlersOf(source: ManifestNode): HandlersOfSource {
  const mapping = source.at("mapping");
  const named = lists.flatMap((list) =>
    mapping
      .at(list)
      .items()
      .map((item) => item.at("handler").text()),
  );
  // A file data source has a single handler.
  const handlers = mapping.at("handler").exists ? [...named, mapping.at("handler").text()] : named;
  return {
    name: source.at("name").text(),
    mapping: mapping.at("file").exists ? fileOf(mapping.at("file")) : "",
    handlers: [...new Set(handlers)],
  };
}

/** @throws SchemaError for a schema that cannot be read */
export function testedSubgraph(
  { templates }: TestedManifest,
  schema: string,
  readFile: TestedSubgraph["readFile"],
): TestedSubgraph {
  return { schema: readSchema(schema).entities, templates, readFile };
}
