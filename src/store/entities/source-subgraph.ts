import { type BlockPointer, ReorgError } from "../../runtime/chain/chain.js";
import type {
  SourceEntities,
  SourceEntity,
  SourceSubgraph,
} from "../../runtime/indexer/composition/source-subgraph.js";
import { readEntitySchema } from "../../subgraph/schema/read-entity-schema.js";
import { type Database, DatabaseError, SQL, type Sql } from "../database/database.js";
import { type Deployment, findDeployment, layoutOf } from "../deployments/deployments.js";
import { readRecentBlocks, rememberedHashes } from "../deployments/head.js";
import type { EntityTable } from "./entity-table.js";
import { entityTables } from "./open-store.js";

/** Settings for reading a source. */
export interface SourceOptions {
  /** Whether it may be read; asked before each look at its blocks. @throws DatabaseError if that is unknown for now */
  readonly mayRead?: (deployment: string) => Promise<boolean>;
  /** Entities that are read at once, unless a single block has more. Default: 10,000. */
  readonly mostEntities?: number;
}

/** A source in the database. */
export interface OpenedSource extends SourceSubgraph {
  readonly deployment: string;
  /** Whether its last block is another one than at the last call of `recentBlocks`. */
  hasMoved(): Promise<boolean>;
}

/**
 * Opens a deployment of the database as the source of a composed subgraph. It need not exist yet.
 * @param deployment the IPFS hash of its manifest
 */
export function openSource(
  database: Database,
  deployment: string,
  options: SourceOptions = {},
): OpenedSource {
  return new StoredSource(database, deployment, options);
}

/** @throws DatabaseError if a deployment is not in the database */
export async function requireSource(sql: Sql, deployment: string): Promise<void> {
  if (await findDeployment(sql, deployment)) return;
  throw new DatabaseError(`the source ${deployment} is not in the database`, {
    hint: "Index it into this database first.",
  });
}

class StoredSource implements OpenedSource {
  readonly deployment: string;
  readonly #database: Database;
  readonly #options: SourceOptions;
  /** The tables of the deployment with an id. After it was dropped and deployed again, it has another one. */
  #known: { readonly id: number; readonly tables: ReadonlyMap<string, EntityTable> } | undefined;

  /** The hash of the last block at the last call of `recentBlocks`. */
  #seen: string | undefined;

  constructor(database: Database, deployment: string, options: SourceOptions) {
    this.#database = database;
    this.deployment = deployment;
    this.#options = options;
  }

  async recentBlocks(count: number): Promise<readonly BlockPointer[]> {
    const found = await findDeployment(this.#database, this.deployment);
    this.#seen = found?.head?.hash;
    const { mayRead } = this.#options;
    if (!found || (mayRead && !(await mayRead(this.deployment)))) return [];
    return readRecentBlocks(this.#database, found.id, count);
  }

  async hasMoved(): Promise<boolean> {
    const found = await findDeployment(this.#database, this.deployment);
    return found?.head?.hash !== this.#seen;
  }

  read(from: number, to: number, types: readonly string[]): Promise<SourceEntities> {
    return this.#database.transaction((sql) => this.#read(sql, { from, to }, types), { snapshot: true });
  }

  async #read(sql: Sql, range: Range, types: readonly string[]): Promise<SourceEntities> {
    const found = await findDeployment(sql, this.deployment);
    const reached = found?.head?.number ?? -1;
    if (!found || reached < range.to) {
      throw new ReorgError(`the source ${this.deployment} is at block ${reached}, before block ${range.to}`);
    }
    const { mostEntities = 10_000 } = this.#options;
    const tables = this.#tablesOf(found);
    const read: TypeRows[] = [];
    let { to } = range;
    for (const type of types) {
      const table = tables.get(type);
      if (!table?.layout.immutable) {
        throw new DatabaseError(`the source ${this.deployment} has no immutable entity type ${type}`, {
          hint: "Handle only entities of immutable types.",
        });
      }
      const rows = await readWritten(sql, table, { from: range.from, to }, mostEntities);
      to = rows.to;
      read.push(rows);
    }
    const entities = read
      .flatMap(({ entities }) => entities)
      .filter(({ block }) => block <= to)
      .sort((a, b) => (a.vid < b.vid ? -1 : 1));
    return { to, entities, hashes: await rememberedHashes(sql, found.id, range.from, to) };
  }

  #tablesOf(found: Deployment): ReadonlyMap<string, EntityTable> {
    if (this.#known?.id === found.id) return this.#known.tables;
    const entities = readEntitySchema(found.schema);
    const tables = entityTables(layoutOf(found, entities), entities);
    this.#known = { id: found.id, tables };
    return tables;
  }
}

/** Blocks, both ends inclusive. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/** The entities of one type, as far as `to`. */
interface TypeRows {
  readonly to: number;
  readonly entities: readonly (SourceEntity & { readonly vid: bigint })[];
}

/** Reads the entities of an immutable type that were written in a range of blocks, or in its beginning. */
async function readWritten(sql: Sql, table: EntityTable, range: Range, most: number): Promise<TypeRows> {
  const { name, selection, isOfChain, type } = table;
  const { from, to } = range;
  // The key of the table: blocks have an index that finds pages only.
  const rows = await sql.query(
    SQL`select ${selection} from ${name}
      where vid >= $1::bigint << 32 and vid < ($2::bigint + 1) << 32 and ${isOfChain} order by vid limit $3::integer`,
    [String(from), String(to), String(most + 1)],
  );
  const entities = rows.map((row) => {
    const { vid, from: block, entity } = table.version(row);
    return { vid, block, type: type.name, entity };
  });
  if (entities.length <= most) return { to, entities };
  const last = (entities.at(-1)?.block ?? from) - 1;
  if (last >= from) return { to: last, entities: entities.filter(({ block }) => block <= last) };
  return readWritten(sql, table, { from, to: from }, 2_147_483_646);
}
