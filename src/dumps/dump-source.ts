import { SQL, type Sql } from "../store/database/database.js";
import { findDeployment, layoutOf } from "../store/deployments/deployments.js";
import { sourceNames } from "../store/deployments/graft.js";
import { lastRemembered, oldestRemembered, rememberedHash } from "../store/deployments/head.js";
import { storedProof } from "../store/deployments/stored-proof.js";
import { countEntities, tableSizes } from "../store/tables/table-facts.js";
import { versionsSql } from "../store/tables/versions-sql.js";
import { DumpError } from "./dump-error.js";
import { allHistory, type DumpBlock, type DumpMetadata } from "./dump-metadata.js";
import { proofsType, type StoredTable, storedTables } from "./dump-tables.js";

/** What the metadata says, without what has to be counted. */
export type DumpFacts = Omit<DumpMetadata, "tables" | "entityCount">;

/** A deployment that is dumped, as of one moment. */
export interface DumpSource {
  readonly tables: readonly StoredTable[];
  readonly facts: DumpFacts;
  /** The text of `schema.graphql`. */
  readonly schema: string;
  /** The text of `subgraph.yaml`, if the database has it. */
  readonly manifest?: string | undefined;
  /** Counts the current entities of all tables. */
  countEntities(): Promise<number>;
  /**
   * Whether a block that was the last one is still one of the deployment's blocks; `undefined` if blocks that old are not
   * stored any more.
   */
  hasBlock(block: DumpBlock): Promise<boolean | undefined>;
}

/** A deployment of graphloom that is dumped. */
export interface OwnSource extends DumpSource {
  /** The size of its tables in bytes. */
  size(): Promise<number>;
  /** A stored block before which the chain hardly replaces any; `undefined` if there is none. */
  settled(): Promise<DumpBlock | undefined>;
}

/** How many blocks a reorganisation of a chain seldom replaces. */
const settledAfter = 250;

/** Reads a deployment of graphloom. @param deployment the IPFS hash of the manifest @throws DumpError, DatabaseError */
export async function ownSource(sql: Sql, deployment: string): Promise<OwnSource> {
  const found = await findDeployment(sql, deployment);
  if (!found) throw new DumpError(`${deployment} is not in the database`);
  const { id, manifest, startBlock, head } = found;
  if (!manifest)
    throw new DumpError(`the database does not know the specVersion of ${deployment}`, {
      hint: "An older version has indexed it. Run or serve it once with this version, and dump it then.",
    });
  const layout = layoutOf(found);
  const tables = storedTables(layout, found.proofVariant !== undefined);
  const { specVersion, description = null, repository = null, features, startHash } = manifest;
  const names = await sourceNames(sql, id);
  const graft = await graftOf(sql, id, manifest.graftHash);
  const facts = {
    deployment,
    network: found.network,
    manifest: {
      specVersion,
      description,
      repository,
      features,
      fileTypes: [...found.fileTypes],
      historyBlocks: found.historyBlocks ?? allHistory,
    },
    earliestBlock: found.earliestBlock,
    startBlock: startHash === undefined ? undefined : { number: startBlock - 1, hash: startHash },
    head: head && { number: head.number, hash: head.hash },
    ...graft.facts,
    health: found.health,
    own: {
      firstBlock: startBlock,
      graftBlock: graft.block,
      sourceNames: names?.every((name) => name !== null) ? names.map(String) : undefined,
      proof: await proofOf(sql, deployment, head),
    },
  };
  return {
    tables,
    facts,
    schema: found.schema,
    countEntities: async () => Number(await countEntities(sql, layout)) + (await countDigests(sql, tables)),
    hasBlock: async ({ number, hash }) => {
      if (number > (head?.number ?? -1)) return false;
      const known = number === head?.number ? head.hash : await rememberedHash(sql, id, number);
      if (known !== undefined) return known === hash;
      const oldest = await oldestRemembered(sql, id);
      return oldest !== undefined && number > oldest ? false : undefined;
    },
    size: async () => Number((await tableSizes(sql, layout)).totalSize),
    settled: async () => head && lastRemembered(sql, id, head.number - settledAfter),
  };
}

/** The proof of indexing of the last block, without an indexer; `undefined` if no proofs are kept. */
export async function proofOf(
  sql: Sql,
  deployment: string,
  head: DumpBlock | undefined,
): Promise<string | undefined> {
  if (!head) return undefined;
  const blockHash = Buffer.from(head.hash.replace(/^0x/, ""), "hex");
  return storedProof(sql, { deployment, block: head.number, blockHash });
}

/** graph-node counts the digests of proofs as entities. */
async function countDigests(sql: Sql, tables: readonly StoredTable[]): Promise<number> {
  const proofs = tables.find(({ type }) => type === proofsType);
  if (!proofs) return 0;
  const { isCurrent } = versionsSql(proofs);
  const [row] = await sql.query(SQL`select count(*) as digests from ${proofs.name} where ${isCurrent}`);
  return Number(row?.digests);
}

/** @param hash of the last block of the base; missing if an older version has made the graft */
async function graftOf(
  sql: Sql,
  id: number,
  hash: string | undefined,
): Promise<{ readonly facts: Pick<DumpMetadata, "graftBase" | "graftBlock">; readonly block?: number }> {
  const [row] = await sql.query(
    SQL`select graft_base, graft_block, b.hash from graphloom.deployments d
      left join graphloom.recent_blocks b on b.deployment = d.id and b.number = graft_block
      where d.id = $1::integer and graft_base is not null`,
    [String(id)],
  );
  if (row?.graft_base == null) return { facts: {} };
  const block = Number(row.graft_block);
  const known = row.hash ?? hash;
  return {
    facts: {
      graftBase: row.graft_base,
      graftBlock: known === undefined ? undefined : { number: block, hash: known },
    },
    block,
  };
}
