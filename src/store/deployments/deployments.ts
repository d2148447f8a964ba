import type { PoiVariant } from "../../runtime/poi/events.js";
import type { EntitySchema } from "../../subgraph/schema/entity-schema.js";
import { readEntitySchema } from "../../subgraph/schema/read-entity-schema.js";
import {
  bigInteger,
  boolean,
  type Column,
  columns,
  computed,
  integer,
  oneOf,
  optional,
  type RowOf,
  text,
  texts,
} from "../database/columns.js";
import { type Database, type Row, SQL, type Sql } from "../database/database.js";
import { arrayText } from "../database/sql-array.js";
import { createTables } from "../tables/create-tables.js";
import { type LayoutOptions, layOut } from "../tables/lay-out.js";
import type { Layout } from "../tables/layout.js";
import { checkGraftBase, type Graft, takeOver } from "./graft.js";

/** A build to index. */
export interface NewDeployment extends LayoutOptions {
  /** The IPFS hash of the manifest. */
  readonly deployment: string;
  readonly network: string;
  /** The text of `schema.graphql`. */
  readonly schema: string;
  /** The same schema, already read; otherwise it is read from the text. */
  readonly entities?: EntitySchema;
  /** The first block to index. */
  readonly startBlock: number;
  /**
   * The names of the manifest's data sources, then of its templates. Needed if it is grafted, or others are grafted
   * onto it.
   */
  readonly sourceNames?: readonly string[];
  /** The minimum number of blocks before the head that stay queryable; all by default. */
  readonly historyBlocks?: number;
  /** How its proofs of indexing are hashed; without it, none are kept. */
  readonly proofVariant?: PoiVariant;
  readonly manifest?: ManifestFacts;
  /** The graft to take over when it is created. */
  readonly graft?: Graft;
}

/** What dumps say about a manifest and nothing else needs. */
export interface ManifestFacts {
  readonly specVersion: string;
  readonly features: readonly string[];
  readonly description?: string | null | undefined;
  readonly repository?: string | null | undefined;
  /** The hash of the block before the first one, if a dump has told it. */
  readonly startHash?: string | undefined;
  /** The hash of the last block of the graft's base. */
  readonly graftHash?: string | undefined;
}

/** Distinguishes our lock from other programs' locks in the same database. */
const lock = SQL`7236540194`;
const inHead = SQL`from graphloom.recent_blocks b where b.deployment = deployments.id and b.number = head_number`;
/** The head of a deployment, if it has one. */
export const headRow = columns({
  number: computed(SQL`head_number`, integer),
  hash: computed(SQL`head_hash`, text),
  /** Missing if it was not known. */
  parentHash: computed(SQL`(select parent_hash ${inHead})`, optional(text)),
  /** Seconds since 1970; missing if it was not known. */
  timestamp: computed(SQL`(select timestamp ${inHead})`, optional(bigInteger)),
});
/** Written by this program only. */
const manifestFacts: Column<ManifestFacts> = { parse: (given) => JSON.parse(given) };
const deploymentRow = columns({
  id: integer,
  deployment: text,
  network: text,
  /** The text of `schema.graphql`. */
  schema: text,
  fileTypes: texts,
  startBlock: integer,
  /** The first block at which entities can be queried. */
  earliestBlock: integer,
  /** The minimum number of blocks kept before the head; missing if all are kept. */
  historyBlocks: optional(integer),
  health: oneOf(["healthy", "unhealthy", "failed"]),
  /** Whether it has failed and is retried automatically. */
  isRetried: computed(SQL`case when fatal_error -> 'since' is not null then true end`, optional(boolean)),
  /** The first block with a failed handler, whether or not the failure ended indexing. */
  firstErrorBlock: computed(
    SQL`least(first_error_block, case when (fatal_error ->> 'deterministic')::boolean
      and (fatal_error -> 'block' ->> 'number')::integer = head_number then head_number end)`,
    optional(integer),
  ),
  /** How its proofs of indexing are hashed; missing if none are kept. */
  proofVariant: optional(oneOf(["fast", "legacy"])),
  /** Missing for deployments of earlier versions, until a build opens them. */
  manifest: optional(manifestFacts),
  isSynced: computed(SQL`synced_at is not null`, boolean),
});
const selected = SQL`${deploymentRow.list}, ${headRow.list}`;

/** The last block that was written. */
export type HeadBlock = RowOf<typeof headRow>;

/** A build that was or is being indexed. */
export interface Deployment extends Omit<RowOf<typeof deploymentRow>, "fileTypes"> {
  /** The database schema that holds its entities. */
  readonly namespace: string;
  /** Entity types that file data sources write. */
  readonly fileTypes: ReadonlySet<string>;
  /** The last block whose writes are complete. */
  readonly head?: HeadBlock;
}

/**
 * Returns the deployment of a build. The first time, creates its tables and takes over its graft base. The database
 * must be migrated.
 * @throws DatabaseError also for a graft that is not possible; SchemaError when the schema has no layout
 */
export async function openDeployment(database: Database, wanted: NewDeployment): Promise<Deployment> {
  return database.transaction(async (sql) => {
    await lockDeployments(sql);
    const known = await findDeployment(sql, wanted.deployment);
    if (known) await noteManifest(sql, known, wanted);
    return known ?? createDeployment(sql, wanted);
  });
}

/** Stores what an earlier version has not stored about a manifest. @throws DatabaseError */
export async function noteManifest(
  sql: Sql,
  known: Pick<Deployment, "id" | "manifest">,
  { manifest }: Pick<NewDeployment, "manifest">,
): Promise<void> {
  if (known.manifest || !manifest) return;
  await sql.query(SQL`update graphloom.deployments set manifest = $2::jsonb where id = $1::integer`, [
    String(known.id),
    JSON.stringify(manifest),
  ]);
}

/** Lets no other transaction create a deployment until the end of this one. @throws DatabaseError */
export async function lockDeployments(sql: Sql): Promise<void> {
  await sql.query(SQL`select pg_advisory_xact_lock(${lock})`);
}

/** The deployment of a build, if it was ever indexed. */
export async function findDeployment(sql: Sql, deployment: string): Promise<Deployment | undefined> {
  const [row] = await sql.query(
    SQL`select ${selected} from graphloom.deployments where deployment = $1::text`,
    [deployment],
  );
  return row && deploymentOf(row);
}

/** The hash of a block, from the furthest deployment that has indexed it recently. @throws DatabaseError */
export async function findBlockHash(sql: Sql, network: string, block: number): Promise<string | undefined> {
  const [row] = await sql.query(
    SQL`select b.hash from graphloom.recent_blocks b join graphloom.deployments d on d.id = b.deployment
      where d.network = $1::text and b.number = $2::integer order by d.head_number desc, d.id limit 1`,
    [network, String(block)],
  );
  return row?.hash ?? undefined;
}

/** The layout of a deployment's tables. @param entities its schema, if already read */
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
    proofVariant,
    manifest,
    graft,
  } = wanted;
  for (;;) {
    const [row] = await sql.query(
      SQL`insert into graphloom.deployments (deployment, network, schema, start_block, earliest_block, file_types, source_names,
          history_blocks, proof_variant, manifest)
        values ($1::text, $2::text, $3::text, $4::integer, $4::integer, $5::text[], $6::text[], $7::integer, $8::text,
          $9::jsonb)
        returning ${selected}`,
      [
        deployment,
        network,
        schema,
        String(startBlock),
        arrayText([...fileTypes]),
        sourceNames ? arrayText(sourceNames) : null,
        historyBlocks === undefined ? null : String(historyBlocks),
        proofVariant ?? null,
        manifest ? JSON.stringify(manifest) : null,
      ],
    );
    const created = deploymentOf(row ?? {});
    if (await isTaken(sql, created.namespace)) {
      // A graph-node may use schemas of the same form in this database.
      await sql.query(SQL`delete from graphloom.deployments where id = $1::integer`, [String(created.id)]);
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
  // Writers of the base wait until the graft is complete.
  await sql.query(SQL`select from graphloom.deployments where deployment = $1::text for update`, [
    graft.base,
  ]);
  const found = await findDeployment(sql, graft.base);
  const base = checkGraftBase(graft, found && { ...found, layout: layoutOf(found) }, created.network);
  await takeOver(sql, base, created, graft);
  return (await findDeployment(sql, created.deployment)) ?? created;
}

/** Whether the database has such a schema: a graph-node may use schemas of the same form. */
export async function isTaken(sql: Sql, namespace: string): Promise<boolean> {
  const found = await sql.query(SQL`select 1 from pg_namespace where nspname = $1::text`, [namespace]);
  return found.length > 0;
}

function deploymentOf(row: Row): Deployment {
  const { fileTypes, ...deployment } = deploymentRow.read(row);
  return {
    ...deployment,
    namespace: `sgd${deployment.id}`,
    fileTypes: new Set(fileTypes),
    ...(row.number !== null && { head: headRow.read(row) }),
  };
}
