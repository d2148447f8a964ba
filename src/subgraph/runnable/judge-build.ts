import { manifestForm } from "../abi.js";
import type { ManifestNode } from "../manifest/manifest-node.js";
import { judgeSchema } from "../schema/judge-schema.js";
import { schemaWarnings } from "../schema/schema-warnings.js";
import type { BuiltSubgraph, Template } from "./built-subgraph.js";
import { exportNames, importNames } from "./module-names.js";
import type { ReadBuild } from "./read-build.js";
import { checkTopic0 } from "./read-handlers.js";

/** No one reads more. */
const mostWarnings = 100;

/** What a failure independent of chain data does, also on a graph-node. */
const failing = "fails the subgraph, which then retries that block forever";

/**
 * Judges a build as graph-node does at deployment: refuses what graph-node refuses, and accepts, with a
 * warning, what graph-node accepts although it will fail. Existing deployments are read without this check.
 * @throws BundleError or SchemaError, with the place, for a build to refuse
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
 * Warnings about parts of a runnable build that will fail or have no effect: each is a sentence with the place. Also
 * works for builds that can no longer be deployed.
 * @throws BundleError or SchemaError if the build cannot run
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
  return [...all.slice(0, mostWarnings), `${all.length - mostWarnings} more warnings`];
}

type Pair = readonly [ManifestNode, Template];

/** The data sources and templates in the manifest, each with its parsed content. */
function sourcesOf(manifest: ManifestNode, { dataSources, templates }: BuiltSubgraph): readonly Pair[] {
  const nodes = [...manifest.at("dataSources").items(), ...manifest.at("templates").items()];
  return [...dataSources, ...templates].flatMap((template, index): Pair[] => {
    const node = nodes[index];
    return node ? [[node, template]] : [];
  });
}

function sourceWarnings(
  node: ManifestNode,
  template: Template,
  { modules, entities, dataSources }: BuiltSubgraph,
): readonly string[] {
  const { module, abi: name, abis, file } = template;
  const isTemplate = dataSources.every((source) => source !== template);
  if (isTemplate && !file && dataSources.some(({ subgraph }) => subgraph))
    return [
      node
        .at("kind")
        .note(
          "is for contracts: its handlers never run, because a subgraph with other subgraphs as sources hears nothing of the chain",
        ),
    ];
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
      .map((item) => item.note(`is ${item.text()}, which is not in the schema: it is ignored`));
    return [...lacking(mapping.at("handler"), "files are ignored"), ...unknown];
  }
  return [
    ...mapping
      .at("handlers")
      .items()
      .flatMap((one) => lacking(one.at("handler"), `the first entity for it ${failing}`)),
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
            `is ${event.text()}, which the ABI ${name} does not have${hint}: the first log with its topic, if any, ${failing}`,
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
            `is ${signature.text()}, which is not a state-changing function of the ABI ${name}: ` +
              `the first call with its selector, if any, ${failing}`,
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
        `${path} looks up ENS names (it imports ens.nameByHash): until a table of names is imported, ` +
        `the first lookup ${failing}`,
    );
}
