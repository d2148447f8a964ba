import type { ManifestNode } from "../manifest/manifest-node.js";
import type { BlockFilter, BlockHandler } from "./built-subgraph.js";
import { isAtLeast } from "./versions.js";

const greatestInterval = 2 ** 32 - 1;

/** Reads the block handlers of a mapping. @throws BundleError for a filter that is unknown or too new */
export function readBlockHandlers(mapping: ManifestNode, specVersion: string): readonly BlockHandler[] {
  return mapping
    .at("blockHandlers")
    .items()
    .map((node) => ({
      handler: node.at("handler").text(),
      filter: readFilter(node.at("filter"), specVersion),
    }));
}

function readFilter(node: ManifestNode, specVersion: string): BlockFilter {
  if (!node.exists) return { kind: "all" };
  const kind = node.at("kind");
  const name = kind.text();
  if (name === "call") return { kind: name };
  if (name !== "once" && name !== "polling") {
    throw kind.error(`is ${name}, but a filter must be call, once or polling`);
  }
  if (!isAtLeast(specVersion, "0.0.8")) {
    throw kind.error(`is ${name}, which requires specVersion 0.0.8, but the manifest has ${specVersion}`);
  }
  return name === "once" ? { kind: name } : { kind: name, every: readInterval(node.at("every")) };
}

function readInterval(node: ManifestNode): number {
  const every = node.integer();
  if (every >= 1 && every <= greatestInterval) return every;
  throw node.error(`is ${every}, but must be a number of blocks from 1 to ${greatestInterval}`);
}

/**
 * Checks graph-node's rules for the block handlers of a data source, which do not apply to templates: at most one
 * handler of each kind, and none with a filter beside one for all blocks.
 * @throws BundleError
 */
export function checkBlockHandlers(node: ManifestNode, handlers: readonly BlockHandler[]): void {
  const kinds = handlers.map(({ filter }) => filter.kind);
  const twice = kinds.find((kind, index) => kinds.indexOf(kind) !== index);
  if (twice !== undefined) {
    const which = twice === "all" ? "without a filter" : `with the filter ${twice}`;
    throw node.error(`have more than one handler ${which}, but a data source may have only one`);
  }
  const some = kinds.find((kind) => kind === "once" || kind === "polling");
  if (some !== undefined && kinds.includes("all")) {
    throw node.error(
      `have a handler without a filter beside one with the filter ${some}: use two data sources`,
    );
  }
}
