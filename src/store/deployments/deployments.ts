import type { EntitySchema } from "../../subgraph/schema/entity-schema.js";
import { readEntitySchema } from "../../subgraph/schema/read-entity-schema.js";
import { type Database, DatabaseError, type Row, type Sql } from "../database/database.js";
import { arrayText, parseArray } from "../database/sql-array.js";
import { createTables } from "../tables/create-tables.js";
import { type LayoutOptions, layOut } from "../tables/lay-out.js";
import type { Layout } from "../tables/layout.js";
import { checkGraftBase, type Graft, takeOver } from "./graft.js";

/** A build to be indexed. */
export interface NewDeployment extends LayoutOptions {
  /** The IPFS hash of the manifest. */
  readonly deployment: string;
  readonly network: string;
  /** Text of `schema.graphql`. */
  readonly schema: string;
  /** The same as it was read already; it is read when it is left out. */
  readonly entities?: EntitySchema;
  /** The first block to index. */
  readonly startBlock: number;
  /**
   * The names of the manifest's data sources and then of its templates: needed where others are to be grafted onto it,
   * or it onto others.
   */
  readonly sourceNames?: readonly string[];
  /** How many blocks before the head entities can be asked for, at the least; all when left out. */
  readonly historyBlocks?: number;
  /** What it takes over when it is made. */
  readonly graft?: Graft;
}

/** A build that was indexed, or is being. */
export interface Deployment {
  readonly id: number;
  readonly deployment: string;
  readonly network: string;
  /** The schema of the database its entities lie in. */
  readonly namespace: string;
  /** Text of `schema.graphql`. */
  readonly schema: string;
  /** Entity types that data sources of files write. */
  readonly fileTypes: ReadonlySet<string>;
  readonly startBlock: number;
  /** The first block as of which entities can be asked for. */
  readonly earliestBlock: number;
  /** How many blocks before the head are kept, at the least; nothing when all are. */
  readonly historyBlocks?: number;
  readonly health: "healthy" | "unhealthy" | "failed";
  /** Whether it has failed, and is tried again by itself. */
  readonly isRetried?: true;
  /** The first block with a handler that failed and did not end the indexing, or that is the last one. */
  readonly firstErrorBlock?: number;
  /** The last block whose writes are complete. */
  readonly head?: HeadBlock;
  readonly isSynced: boolean;
}

/** The last block that was written. */
export interface HeadBlock {
  readonly number: number;
  readonly hash: string;
  /** Nothing when it was not known. */
  readonly parentHash?: string;
  /** Seconds since 1970; nothing when it was not known. */
  readonly timestamp?: bigint;
}

/** Tells our lock from those of others in the same database. */
const lock = "7236540194";
const columns = `id, deployment, network, schema, file_types, start_block, earliest_block, health,
  least(first_error_block, case when (fatal_error ->> 'deterministic')::boolean
    and (fatal_error -> 'block' ->> 'number')::integer = head_number then head_number end) as first_error_block,
  fatal_error -> 'since' is not null as retried, head_number, head_hash,
  history_blocks, synced_at is not null as synced, (select parent_hash from graphloom.recent_blocks b
    where b.deployment = deployments.id and b.number = head_number) as parent_hash,
  (select timestamp from graphloom.recent_blocks b
    where b.deployment = deployments.id and b.number = head_number) as head_time`;

/**
 * The deployment of a build; its tables are made when it is the first time, and what it is grafted onto is taken over.
 * The database must be up to date.
 * @throws DatabaseError also for a graft that is not possible; SchemaError when the schema has no layout
 */
export async function openDeployment(database: Database, wanted: NewDeployment): Promise<Deployment> {
  return database.transaction(async (sql) => {
    await sql.query(`select pg_advisory_xact_lock(${lock})`);
    const known = await findDeployment(sql, wanted.deployment);
    return known ?? createDeployment(sql, wanted);
  });
}

/** The deployment of a build, if it was ever indexed. */
export async function findDeployment(sql: Sql, deployment: string): Promise<Deployment | undefined> {
  const [row] = await sql.query(`select ${columns} from graphloom.deployments where deployment = $1::text`, [
    deployment,
  ]);
  return row && deploymentOf(row);
}

/** The hash of a block, of the deployment that is farthest among those that have indexed it of late. @throws DatabaseError */
export async function findBlockHash(sql: Sql, network: string, block: number): Promise<string | undefined> {
  const [row] = await sql.query(
    `select b.hash from graphloom.recent_blocks b join graphloom.deployments d on d.id = b.deployment
      where d.network = $1::text and b.number = $2::integer order by d.head_number desc, d.id limit 1`,
    [network, String(block)],
  );
  return row?.hash ?? undefined;
}

/**
 * Where the entities of a deployment lie.
 * @param entities its schema, where that was read already
 */
export function layoutOf(
  { schema, namespace, fileTypes }: Deployment,
  entities: EntitySchema = readEntitySchema(schema),
): Layout {
  return layOut(entities, namespace, { fileTypes });
}

async function createDeployment(sql: Sql, wanted: NewDeployment): Promise<Deployment> {
  const {
    deployment,
    network,
    schema,
    startBlock,
    fileTypes = [],
    sourceNames,
    historyBlocks,
    graft,
  } = wanted;
  for (;;) {
    const [row] = await sql.query(
      `insert into graphloom.deployments (deployment, network, schema, start_block, earliest_block, file_types, source_names,
          history_blocks)
        values ($1::text, $2::text, $3::text, $4::integer, $4::integer, $5::text[], $6::text[], $7::integer) returning ${columns}`,
      [
        deployment,
        network,
        schema,
        String(startBlock),
        arrayText([...fileTypes]),
        sourceNames ? arrayText(sourceNames) : null,
        historyBlocks === undefined ? null : String(historyBlocks),
      ],
    );
    if (!row) throw new DatabaseError("the database did not give the deployment a number");
    const created = deploymentOf(row);
    if (await isTaken(sql, created.namespace)) {
      // A graph-node may keep its own in the same database.
      await sql.query("delete from graphloom.deployments where id = $1::integer", [String(created.id)]);
      continue;
    }
    const layout = layoutOf(created, wanted.entities);
    await sql.run(createTables(layout));
    return graft ? grafted(sql, { ...created, layout }, graft) : created;
  }
}

async function grafted(
  sql: Sql,
  created: Deployment & { readonly layout: Layout },
  graft: Graft,
): Promise<Deployment> {
  // Whoever writes to the base waits until it is taken over.
  await sql.query("select from graphloom.deployments where deployment = $1::text for update", [graft.base]);
  const found = await findDeployment(sql, graft.base);
  const base = checkGraftBase(graft, found && { ...found, layout: layoutOf(found) }, created.network);
  await takeOver(sql, base, created, graft);
  return (await findDeployment(sql, created.deployment)) ?? created;
}

async function isTaken(sql: Sql, namespace: string): Promise<boolean> {
  const found = await sql.query("select 1 from pg_namespace where nspname = $1::text", [namespace]);
  return found.length > 0;
}

function headOf({ parent_hash: parent, head_time: time }: Row, number: number, hash: string): HeadBlock {
  return {
    number,
    hash,
    ...(parent != null && { parentHash: parent }),
    ...(time != null && { timestamp: BigInt(time) }),
  };
}

function deploymentOf(row: Row): Deployment {
  const { head_number: number, head_hash: hash, health } = row;
  return {
    id: Number(row.id),
    deployment: row.deployment ?? "",
    network: row.network ?? "",
    namespace: `sgd${row.id}`,
    schema: row.schema ?? "",
    fileTypes: new Set(parseArray(row.file_types ?? "{}").filter((type) => type !== null)),
    startBlock: Number(row.start_block),
    earliestBlock: Number(row.earliest_block),
    ...(row.history_blocks != null && { historyBlocks: Number(row.history_blocks) }),
    ...(row.first_error_block != null && { firstErrorBlock: Number(row.first_error_block) }),
    health: health === "failed" || health === "unhealthy" ? health : "healthy",
    ...(row.retried === "t" && { isRetried: true }),
    ...(number != null && hash != null && { head: headOf(row, Number(number), hash) }),
    isSynced: row.synced === "t",
  };
}
