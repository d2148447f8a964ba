import { isRecord } from "../../base/text/json-value.js";
import type { Hosting } from "../../hosting/engine.js";
import { isCidV0 } from "../../web/ipfs/cid.js";
import { RpcError } from "./json-rpc.js";

/** The lowest and the highest version of manifests that graph-node 0.44 accepts. */
const oldest = [0, 0, 2];
const newest = [1, 5, 0];

const knownKinds: ReadonlySet<string> = new Set([
  "ethereum",
  "ethereum/contract",
  "subgraph",
  "near",
  "amp",
  "file/ipfs",
  "file/arweave",
]);

/**
 * Finds the first mistake in a deployed manifest for which graph-node has its own message. Reading the build finds
 * all others.
 * @param value the parsed YAML
 * @param hash the hash of the manifest
 */
export function faultOfManifest(value: unknown, hash: string): string | undefined {
  if (value === null || value === undefined) return resolving("resolve error: invalid manifest");
  if (!isRecord(value)) {
    return resolving(`parse error: invalid type: ${kindOf(value)}, expected a YAML mapping`);
  }
  const { specVersion, schema, dataSources } = value;
  if (specVersion === undefined || specVersion === null) {
    return resolving("parse error: missing field `specVersion`");
  }
  const sources: readonly unknown[] = Array.isArray(dataSources) ? dataSources : [];
  const [first] = sources;
  if (first === undefined || typeof fieldOf(first, "kind") !== "string") {
    return resolving("resolve error: invalid manifest");
  }
  if (!sources.every((source) => knownKinds.has(String(fieldOf(source, "kind"))))) {
    return resolving("parse error: data source has invalid `kind`; expected ethereum, file/ipfs");
  }
  for (const source of sources) {
    const fault = fieldOf(source, "kind") === "subgraph" ? faultOfComposed(source) : undefined;
    if (fault !== undefined) return resolving(`parse error: ${fault}`);
  }
  if (!schema) return resolving("resolve error: subgraph schema is required");
  return faultOfVersion(String(specVersion), hash) ?? faultOfNetworks(sources);
}

/** Checks that this server indexes a network. @throws RpcError */
export function checkNetwork(hosting: Pick<Hosting, "engineFor">, network: string): void {
  if (hosting.engineFor(network)) return;
  const why = `no network ${network} found on chain ethereum`;
  throw new RpcError(0, `network not supported by registrar: ${why}`);
}

/** A mistake in the files of a deployment. */
export function resolving(what: string): string {
  return `subgraph resolve error: ${what}`;
}

/** A mistake in a deployment whose files can be read. */
export function validating(what: string): string {
  return `subgraph validation error: [${what}]`;
}

/** A mistake in a data source that listens to another subgraph. */
function faultOfComposed(source: unknown): string | undefined {
  const lacking = (holder: unknown, fields: readonly string[]): string | undefined =>
    fields.find((field) => fieldOf(holder, field) === undefined);
  const field = lacking(source, ["network"]) ?? lacking(fieldOf(source, "mapping"), ["entities", "handlers"]);
  if (field !== undefined) return `missing field \`${field}\``;
  const address = fieldOf(fieldOf(source, "source"), "address");
  if (typeof address !== "string" || isCidV0(address)) return undefined;
  return `invalid value: string ${JSON.stringify(address)}, expected valid subgraph name`;
}

function faultOfVersion(text: string, hash: string): string | undefined {
  const parts = /^(\d+)\.(\d+)\.(\d+)$/.exec(text)?.slice(1).map(Number);
  if (!parts) return undefined;
  if (compare(parts, oldest) >= 0 && compare(parts, newest) <= 0) return undefined;
  const range = `${oldest.join(".")} and ${newest.join(".")}`;
  return resolving(
    `resolve error: This Graph Node only supports manifest spec versions between ${range}, but subgraph \`${hash}\` uses \`${text}\``,
  );
}

function faultOfNetworks(sources: readonly unknown[]): string | undefined {
  const chained = sources.filter((source) => /^ethereum(?:\/\w+)?$/.test(String(fieldOf(source, "kind"))));
  if (chained.length === 0) return undefined;
  const networks = new Set(chained.flatMap((source) => fieldOf(source, "network") ?? []));
  if (networks.size === 0) {
    return validating("subgraph must have at least one Ethereum network data source");
  }
  if (networks.size === 1) return undefined;
  return validating("subgraph cannot index data from different Ethereum networks");
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (const [index, part] of a.entries()) {
    const other = b[index] ?? 0;
    if (part !== other) return part - other;
  }
  return 0;
}

function fieldOf(value: unknown, field: string): unknown {
  return isRecord(value) ? value[field] : undefined;
}

function kindOf(value: unknown): string {
  if (typeof value === "string") return `string ${JSON.stringify(value)}`;
  if (typeof value === "boolean") return `boolean \`${value}\``;
  if (Array.isArray(value)) return "sequence";
  return `integer \`${value}\``;
}
