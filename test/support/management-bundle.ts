import { createHash } from "node:crypto";
import { unzipSync } from "fflate";
import { parse as parseGraphql } from "graphql";
import { parse as parseYaml } from "yaml";
import { badRequest, Problem, unprocessable } from "./management-problem.js";

/** A bundle that was looked through. */
export interface Bundle {
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly network: string;
  /** First block of the sources. */
  readonly startBlock: number;
  /** Names of the entities and of their fields, as tables have them. */
  readonly entities: readonly { readonly name: string; readonly columns: readonly string[] }[];
}

/** In bytes. */
const LIMITS = { compressed: 50_000_000, extracted: 100_000_000 };

interface Manifest {
  readonly schema?: { readonly file?: unknown };
  readonly dataSources?: readonly Source[];
  readonly templates?: readonly Source[];
}

interface Source {
  readonly name?: string;
  readonly network?: string;
  readonly source?: { readonly startBlock?: number };
  readonly mapping?: { readonly file?: unknown; readonly abis?: readonly { readonly file?: unknown }[] };
}

/**
 * Unpacks a bundle and looks whether it can be deployed.
 * @throws Problem when it cannot
 */
export function readBundle(zip: Uint8Array, chains: readonly string[]): Bundle {
  if (zip.length > LIMITS.compressed) throw tooLarge("The bundle has more than 50 MB.");
  const files = unpack(zip);
  const manifest = manifestOf(files);
  const sources = [...(manifest.dataSources ?? []), ...(manifest.templates ?? [])];
  if (!manifest.dataSources?.length) throw bad("subgraph.yaml has no data source");
  const schema = requireFile(files, manifest.schema?.file, "the schema");
  for (const { name, mapping } of sources) {
    const wasm = requireFile(files, mapping?.file, `the mapping of ${name}`);
    if (Buffer.from(wasm).readUInt32BE(0) !== 0x0061736d) throw bad(`the mapping of ${name} is not compiled`);
    for (const abi of mapping?.abis ?? []) {
      requireJson(requireFile(files, abi.file, `an ABI of ${name}`), `an ABI of ${name}`);
    }
  }
  const networks = [...new Set(sources.map(({ network }) => network))];
  const [network] = networks;
  if (networks.length !== 1 || network === undefined)
    throw unprocessable("All sources have to be on one network.");
  if (!chains.includes(network)) throw unprocessable(`The network "${network}" is not supported.`);
  return {
    files,
    network,
    startBlock: Math.min(...manifest.dataSources.map(({ source }) => source?.startBlock ?? 0)),
    entities: entitiesOf(schema),
  };
}

function unpack(zip: Uint8Array): ReadonlyMap<string, Uint8Array> {
  let extracted = 0;
  let files: Record<string, Uint8Array>;
  try {
    files = unzipSync(zip, {
      filter: ({ originalSize }) => {
        extracted += originalSize;
        if (extracted > LIMITS.extracted)
          throw tooLarge("The bundle has more than 100 MB when it is extracted.");
        return true;
      },
    });
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw bad("is not a zip");
  }
  const odd = Object.keys(files).find((path) => /^\/|\\|(^|\/)\.\.?(\/|$)/.test(path));
  if (odd !== undefined) throw bad(`has a file outside of it: ${odd}`);
  return new Map(Object.entries(files).filter(([path]) => !path.endsWith("/")));
}

function manifestOf(files: ReadonlyMap<string, Uint8Array>): Manifest {
  const bytes = files.get("subgraph.yaml");
  if (!bytes) throw bad("has no subgraph.yaml");
  try {
    return parseYaml(Buffer.from(bytes).toString()) as Manifest;
  } catch {
    throw bad("subgraph.yaml is not YAML");
  }
}

function requireFile(files: ReadonlyMap<string, Uint8Array>, path: unknown, what: string): Uint8Array {
  const found = typeof path === "string" ? files.get(path.replace(/^\.\//, "")) : undefined;
  if (!found) throw bad(`lacks the file of ${what}: ${JSON.stringify(path)}`);
  return found;
}

function requireJson(bytes: Uint8Array, what: string): void {
  try {
    JSON.parse(Buffer.from(bytes).toString());
  } catch {
    throw bad(`${what} is not JSON`);
  }
}

function entitiesOf(schema: Uint8Array): Bundle["entities"] {
  return parseGraphql(Buffer.from(schema).toString()).definitions.flatMap((definition) => {
    if (definition.kind !== "ObjectTypeDefinition") return [];
    if (!definition.directives?.some(({ name }) => name.value === "entity")) return [];
    const columns = (definition.fields ?? []).map(({ name }) => snakeCase(name.value));
    return [{ name: snakeCase(definition.name.value), columns: ["vid", "block_range", ...columns] }];
  });
}

function snakeCase(name: string): string {
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, "_").toLowerCase();
}

function bad(message: string): Problem {
  return badRequest({ field: "bundle", message });
}

function tooLarge(detail: string): Problem {
  return new Problem(413, "bundle-too-large", "Bundle too large", detail);
}

const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/** Something that looks like an IPFS hash: the same for the same files. */
export function madeUpId(files: ReadonlyMap<string, Uint8Array>): string {
  const hash = createHash("sha512");
  for (const [path, bytes] of [...files].sort(([a], [b]) => (a < b ? -1 : 1)))
    hash.update(path).update(bytes);
  return `Qm${[...hash.digest().subarray(0, 44)].map((byte) => BASE58[byte % 58]).join("")}`;
}
