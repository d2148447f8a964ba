import { manifestForm } from "../abi.js";
import type { ManifestNode } from "../manifest/manifest-node.js";
import { judgeSchema } from "../schema/judge-schema.js";
import { schemaWarnings } from "../schema/schema-warnings.js";
import type { BuiltSubgraph, Template } from "./built-subgraph.js";
import { exportNames, importNames } from "./module-names.js";
import type { ReadBuild } from "./read-build.js";
import { checkTopic0 } from "./read-handlers.js";

/** Nobody reads more. */
const mostWarnings = 100;

/** What a failure comes to that is nobody's data: what a graph-node does, too. */
const failing = "fails the subgraph, and its block is tried again and again";

/**
 * Judges a build as graph-node does when it is deployed: what it refuses is refused, and what it accepts although it
 * will fail is accepted, with a warning. What was deployed before is read without that.
 * @throws BundleError, SchemaError for what is refused, with its place
 */
export function judgeBuild({ parsed, subgraph, schema }: ReadBuild): void {
  const manifest = parsed.root;
  for (const [node] of sourcesOf(manifest, subgraph)) {
    for (const handler of node.at("mapping").at("eventHandlers").items()) checkTopic0(handler.at("topic0"));
  }
  judgeSchema(schema);
  if (schema.entities.fulltext.length > 0 && !subgraph.features.has("fullTextSearch")) {
    throw manifest.at("features").error("must list fullTextSearch: the schema declares a full text search");
  }
}

/**
 * What will come to nothing in a build that can be run, or to a failure: each a sentence with its place that says when. Also
 * of a build that could not be deployed any more.
 * @throws BundleError, SchemaError when it cannot be run
 */
export function buildWarnings({ parsed, subgraph, schema }: ReadBuild): readonly string[] {
  const all = [
    ...sourcesOf(parsed.root, subgraph).flatMap(([node, template]) =>
      sourceWarnings(node, template, subgraph),
    ),
    ...moduleWarnings(subgraph),
    ...schemaWarnings(schema),
  ];
  if (all.length <= mostWarnings) return all;
  return [...all.slice(0, mostWarnings), `there are ${all.length - mostWarnings} warnings more`];
}

type Pair = readonly [ManifestNode, Template];

/** What is in the manifest of data sources and templates, and what was read of it. */
function sourcesOf(manifest: ManifestNode, { dataSources, templates }: BuiltSubgraph): readonly Pair[] {
  const nodes = [...manifest.at("dataSources").items(), ...manifest.at("templates").items()];
  return [...dataSources, ...templates].flatMap((template, index): Pair[] => {
    const node = nodes[index];
    return node ? [[node, template]] : [];
  });
}

function sourceWarnings(
  node: ManifestNode,
  { module, abi: name, abis, file }: Template,
  { modules, entities }: BuiltSubgraph,
): readonly string[] {
  const mapping = node.at("mapping");
  const abi = abis.get(name);
  const exported = new Set(exportNames(modules.get(module) ?? new Uint8Array()));
  const lacking = (handler: ManifestNode, what: string): readonly string[] =>
    exported.has(handler.text())
      ? []
      : [handler.note(`is ${handler.text()}, which ${module} does not export: ${what}`)];
  if (file) {
    const unknown = mapping
      .at("entities")
      .items()
      .filter((item) => !entities.types.has(item.text()))
      .map((item) => item.note(`is ${item.text()}, which the schema does not have: it is passed over`));
    return [...lacking(mapping.at("handler"), "files are passed over"), ...unknown];
  }
  return [
    ...mapping
      .at("eventHandlers")
      .items()
      .flatMap((one) => {
        const event = one.at("event");
        const isKnown = abi?.event(event.text()) !== undefined;
        if (isKnown) return lacking(one.at("handler"), `the first log for it ${failing}`);
        const alike = abi?.eventNamed(event.text().split("(")[0] ?? "");
        const hint = alike ? `; it has ${manifestForm(alike)}` : "";
        return [
          event.note(
            `is ${event.text()}, which the ABI ${name} does not have${hint}: the first log with its topic, if one ever comes, ${failing}`,
          ),
        ];
      }),
    ...mapping
      .at("callHandlers")
      .items()
      .flatMap((one) => {
        const signature = one.at("function");
        if (abi?.writingFunction(signature.text())) {
          return lacking(one.at("handler"), `the first call for it ${failing}`);
        }
        return [
          signature.note(
            `is ${signature.text()}, which the ABI ${name} does not have as a function that writes: ` +
              `the first call with its selector, if one ever comes, ${failing}`,
          ),
        ];
      }),
    ...mapping
      .at("blockHandlers")
      .items()
      .flatMap((one) => lacking(one.at("handler"), `the first block for it ${failing}`)),
  ];
}

function moduleWarnings({ modules }: BuiltSubgraph): readonly string[] {
  return [...modules]
    .filter(([, wasm]) => importNames(wasm).includes("ens.nameByHash"))
    .map(
      ([path]) =>
        `${path} looks up names of ENS (it imports ens.nameByHash): while no table of names was imported, ` +
        `the first name that is looked up ${failing}`,
    );
}
