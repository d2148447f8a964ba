import { parseJson } from "../base/text/json-value.js";
import { DumpError } from "./dump-error.js";
import { Member } from "./member.js";

/** The name of the file that makes a folder a dump. */
export const metadataName = "metadata.json";

/** The only version of the format. */
const version = 1;
/** graph-node's way to say that all history is kept. */
export const allHistory = 2_147_483_647;

/** A block, with "0x" in its hash. */
export interface DumpBlock {
  readonly number: number;
  readonly hash: string;
}

/** A file with rows of a table, or with the ends of earlier rows. */
export interface DumpChunk {
  /** Relative to the folder: `Token/chunk_000000.parquet`. */
  readonly file: string;
  /** The bounds of the range that was read, in which all vids are. */
  readonly minVid: bigint;
  readonly maxVid: bigint;
  readonly rows: number;
}

/** The files of a table. */
export interface DumpTable {
  readonly immutable: boolean;
  readonly hasCausalityRegion: boolean;
  readonly chunks: readonly DumpChunk[];
  readonly clamps: readonly DumpChunk[];
  /** The last vid; -1 if the table is empty. */
  readonly maxVid: bigint;
}

/** What `metadata.json` says. */
export interface DumpMetadata {
  readonly deployment: string;
  readonly network: string;
  readonly manifest: {
    readonly specVersion: string;
    readonly description: string | null;
    readonly repository: string | null;
    readonly features: readonly string[];
    /** The types that file data sources write. */
    readonly fileTypes: readonly string[];
    /** `allHistory` if nothing is pruned. */
    readonly historyBlocks: number;
  };
  readonly earliestBlock: number;
  /** The block before the first one that was indexed; missing from genesis, or if it is unknown. */
  readonly startBlock?: DumpBlock | undefined;
  readonly head?: DumpBlock | undefined;
  readonly entityCount: number;
  readonly graftBase?: string | undefined;
  readonly graftBlock?: DumpBlock | undefined;
  readonly debugFork?: string | undefined;
  readonly health: string;
  /** By the name of the type. */
  readonly tables: ReadonlyMap<string, DumpTable>;
  /** What graphloom adds. Missing in dumps of graph-node, which ignores it. */
  readonly own?: OwnMetadata | undefined;
}

/** What graphloom knows about a deployment and graph-node does not write down. */
export interface OwnMetadata {
  /** The first block to index. */
  readonly firstBlock: number;
  /** The last block of the graft's base, whose hash may be unknown. */
  readonly graftBlock?: number | undefined;
  /** The names of the manifest's data sources, then of its templates. */
  readonly sourceNames?: readonly string[] | undefined;
  /** The proof of indexing of the last block, without an indexer; missing if no proofs are kept. */
  readonly proof?: string | undefined;
}

/** The content of `metadata.json`. */
export function printMetadata({ manifest, own, ...metadata }: DumpMetadata): string {
  const shownBlock = (block: DumpBlock | undefined): unknown =>
    block ? { number: block.number, hash: block.hash.replace(/^0x/, "") } : null;
  const shownChunk = ({ file, minVid, maxVid, rows }: DumpChunk): unknown => ({
    file,
    min_vid: String(minVid),
    max_vid: String(maxVid),
    row_count: rows,
  });
  const names = [...metadata.tables.keys()].sort();
  const tables = names.flatMap((name) => {
    const table = metadata.tables.get(name);
    if (!table) return [];
    const shown = {
      immutable: table.immutable,
      has_causality_region: table.hasCausalityRegion,
      chunks: table.chunks.map(shownChunk),
      clamps: table.clamps.map(shownChunk),
      max_vid: String(table.maxVid),
    };
    return [[name, shown] as const];
  });
  const shown = {
    version,
    deployment: metadata.deployment,
    network: metadata.network,
    manifest: {
      spec_version: manifest.specVersion,
      description: manifest.description,
      repository: manifest.repository,
      features: manifest.features,
      entities_with_causality_region: manifest.fileTypes,
      history_blocks: manifest.historyBlocks,
    },
    earliest_block_number: metadata.earliestBlock,
    start_block: shownBlock(metadata.startBlock),
    head_block: shownBlock(metadata.head),
    entity_count: metadata.entityCount,
    graft_base: metadata.graftBase ?? null,
    graft_block: shownBlock(metadata.graftBlock),
    debug_fork: metadata.debugFork ?? null,
    health: {
      failed: metadata.health === "failed",
      health: metadata.health,
      fatal_error: null,
      non_fatal_errors: [],
    },
    // Every reader builds its own indexes.
    indexes: {},
    tables: Object.fromEntries(tables),
    ...(own && {
      graphloom: {
        first_block: own.firstBlock,
        graft_block: own.graftBlock ?? null,
        source_names: own.sourceNames ?? null,
        proof: own.proof ?? null,
      },
    }),
  };
  // Numbers of 64 bits, which JavaScript would round.
  return JSON.stringify(shown, null, 2).replace(/("(?:min|max)_vid": )"(-?\d+)"/g, "$1$2");
}

/**
 * Reads `metadata.json`. Unknown members are ignored.
 * @throws DumpError with the member that is missing or wrong
 */
export function readMetadata(text: string): DumpMetadata {
  const root = new Member(parsed(text), metadataName);
  const found = root.at("version").integer(0);
  if (found !== version)
    throw new DumpError(`${metadataName} has version ${found} of the format, and only ${version} is known`);
  const manifest = root.at("manifest");
  const own = root.maybe("graphloom");
  return {
    deployment: root.at("deployment").text(),
    network: root.at("network").text(),
    manifest: {
      specVersion: manifest.at("spec_version").text(),
      description: manifest.maybe("description")?.text() ?? null,
      repository: manifest.maybe("repository")?.text() ?? null,
      features: manifest.at("features").texts(),
      fileTypes: manifest.at("entities_with_causality_region").texts(),
      historyBlocks: manifest.at("history_blocks").integer(1),
    },
    earliestBlock: root.at("earliest_block_number").integer(0),
    startBlock: maybeBlock(root, "start_block"),
    head: maybeBlock(root, "head_block"),
    entityCount: root.at("entity_count").integer(0),
    graftBase: root.maybe("graft_base")?.text(),
    graftBlock: maybeBlock(root, "graft_block"),
    debugFork: root.maybe("debug_fork")?.text(),
    health: root.at("health").at("health").text(),
    tables: new Map(
      root
        .at("tables")
        .entries()
        .map(([name, table]) => [name, readTable(name, table)]),
    ),
    own: own && {
      firstBlock: own.at("first_block").integer(0),
      graftBlock: own.maybe("graft_block")?.integer(0),
      sourceNames: own.maybe("source_names")?.texts(),
      proof: own.maybe("proof")?.text(),
    },
  };
}

function parsed(text: string): unknown {
  const value = parseJson(text.replace(/("(?:min|max)_vid"\s*:\s*)(-?\d+)/g, '$1"$2"'));
  if (value === undefined) throw new DumpError(`${metadataName} is not JSON`);
  return value;
}

function readTable(name: string, table: Member): DumpTable {
  const chunks = table.at("chunks").items();
  const clamps = table.maybe("clamps")?.items() ?? [];
  return {
    immutable: table.at("immutable").flag(),
    hasCausalityRegion: table.at("has_causality_region").flag(),
    chunks: chunks.map((chunk) => readChunk(name, "chunk", chunk)),
    clamps: clamps.map((chunk) => readChunk(name, "clamp", chunk)),
    maxVid: table.at("max_vid").vid(),
  };
}

function readChunk(table: string, kind: string, chunk: Member): DumpChunk {
  const file = chunk.at("file").text();
  // So no path leads out of the folder.
  const [folder, name, ...more] = file.split("/");
  if (folder !== table || more.length > 0 || !new RegExp(`^${kind}_\\d{6,9}\\.parquet$`).test(name ?? ""))
    throw chunk.at("file").wrong(`a path like ${table}/${kind}_000000.parquet`);
  const read = {
    file,
    minVid: chunk.at("min_vid").vid(),
    maxVid: chunk.at("max_vid").vid(),
    rows: chunk.at("row_count").integer(0),
  };
  if (read.minVid > read.maxVid) throw chunk.at("min_vid").wrong("at most max_vid");
  return read;
}

function maybeBlock(root: Member, key: string): DumpBlock | undefined {
  const found = root.maybe(key);
  return found && readBlock(found);
}

/** A block: `{"number": 7, "hash": "…"}`, with or without "0x". @throws DumpError */
export function readBlock(member: Member): DumpBlock {
  const number = member.at("number");
  const found = number.integer(0);
  if (found > allHistory) throw number.wrong("the number of a block");
  const hash = member.at("hash");
  const digits = hash.text().replace(/^0x/, "").toLowerCase();
  if (!/^[0-9a-f]{64}$/.test(digits)) throw hash.wrong("a hash of 64 hex digits");
  return { number: found, hash: `0x${digits}` };
}
