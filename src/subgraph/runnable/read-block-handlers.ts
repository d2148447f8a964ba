import type { ManifestNode } from "../manifest/manifest-node.js";
import type { BlockFilter, BlockHandler } from "./built-subgraph.js";
import { isAtLeast } from "./versions.js";

const greatestInterval = 2 ** 32 - 1;

/** Reads the block handlers of a mapping. @throws BundleError for a filter there is none of, and one too new */
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
    throw kind.error(`is ${name}, and a filter is one of call, once and polling`);
  }
  if (!isAtLeast(specVersion, "0.0.8")) {
    throw kind.error(`is ${name}, which needs specVersion 0.0.8, and the manifest has ${specVersion}`);
  }
  return name === "once" ? { kind: name } : { kind: name, every: readInterval(node.at("every")) };
}

function readInterval(node: ManifestNode): number {
  const every = node.integer();
  if (every >= 1 && every <= greatestInterval) return every;
  throw node.error(`is ${every}, and must be a number of blocks from 1 to ${greatestInterval}`);
}

/**
 * Checks what graph-node wants of the block handlers of a data source, and not of a template's: each kind once, and one
 * for all blocks not beside one for some.
 * @throws BundleError
 */
export function checkBlockHandlers(node: ManifestNode, handlers: readonly BlockHandler[]): void {
  const kinds = handlers.map(({ filter }) => filter.kind);
  const twice = kinds.find((kind, index) => kinds.indexOf(kind) !== index);
  if (twice !== undefined) {
    const which = twice === "all" ? "without a filter" : `with the filter ${twice}`;
    throw node.error(`have more than one handler ${which}, and a data source may have one`);
  }
  const some = kinds.find((kind) => kind === "once" || kind === "polling");
  if (some !== undefined && kinds.includes("all")) {
    throw node.error(
      `have a handler without a filter beside one with the filter ${some}: use two data sources`,
    );
  }
}
