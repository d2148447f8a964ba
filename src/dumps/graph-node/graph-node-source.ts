import {
  columns,
  computed,
  integer,
  optional,
  type RowOf,
  text,
  texts,
} from "../../store/database/columns.js";
import { type Database, SQL, type Sql } from "../../store/database/database.js";
import { layOut } from "../../store/tables/lay-out.js";
import { SchemaError } from "../../subgraph/schema/entity-schema.js";
import { readEntitySchema } from "../../subgraph/schema/read-entity-schema.js";
import { DumpError } from "../dump-error.js";
import type { DumpBlock } from "../dump-metadata.js";
import type { DumpSource } from "../dump-source.js";
import { dataSourcesType, storedTables } from "../dump-tables.js";
import { mayHaveTemplates } from "../judge-dump.js";

const hash = (column: ReturnType<typeof SQL>): ReturnType<typeof SQL> => SQL`encode(${column}, 'hex')`;

/** A deployment in the catalog of a graph-node, whose tables are not ours. */
const deploymentRow = columns({
  deployment: computed(SQL`s.subgraph`, text),
  namespace: computed(SQL`s.name`, text),
  network: computed(SQL`s.network`, text),
  health: computed(SQL`d.health::text`, text),
  earliestBlock: computed(SQL`d.earliest_block_number`, integer),
  graftBase: computed(SQL`d.graft_base`, optional(text)),
  graftNumber: computed(SQL`d.graft_block_number`, optional(integer)),
  graftHash: computed(hash(SQL`d.graft_block_hash`), optional(text)),
  debugFork: computed(SQL`d.debug_fork`, optional(text)),
  headNumber: computed(SQL`h.block_number`, optional(integer)),
  headHash: computed(hash(SQL`h.block_hash`), optional(text)),
  entityCount: computed(SQL`h.entity_count`, integer),
  specVersion: computed(SQL`m.spec_version`, text),
  description: computed(SQL`m.description`, optional(text)),
  repository: computed(SQL`m.repository`, optional(text)),
  schema: computed(SQL`m.schema`, text),
  features: computed(SQL`m.features`, texts),
  startNumber: computed(SQL`m.start_block_number`, optional(integer)),
  startHash: computed(hash(SQL`m.start_block_hash`), optional(text)),
  manifest: computed(SQL`m.raw_yaml`, optional(text)),
  fileTypes: computed(SQL`m.entities_with_causality_region`, texts),
  historyBlocks: computed(SQL`m.history_blocks`, integer),
});
const fromCatalog = SQL`from public.deployment_schemas s join subgraphs.deployment d on d.id = s.id
  join subgraphs.head h on h.id = s.id join subgraphs.subgraph_manifest m on m.id = s.id where s.active`;

/**
 * The id of a deployment in the database of a graph-node.
 * @param name of a subgraph, or the id of a deployment
 * @throws DumpError if there is none, or the database does not belong to a graph-node; DatabaseError
 */
export async function findInGraphNode(database: Database, name: string): Promise<string> {
  await requireGraphNode(database);
  const rows = await database.query(
    SQL`select s.subgraph as id from public.deployment_schemas s where s.active and (s.subgraph = $1::text or s.subgraph in (
      select v.deployment from subgraphs.subgraph g join subgraphs.subgraph_version v on v.id = g.current_version
        where g.name = $1::text))`,
    [name],
  );
  const [found] = rows;
  if (found?.id != null) return found.id;
  throw new DumpError(`the graph-node has no subgraph ${name} in this database`);
}

/** @throws DumpError if a database is not the primary one of a graph-node; DatabaseError */
export async function requireGraphNode(database: Database): Promise<void> {
  // The other databases of a graph-node have the same tables, and see those of the primary one as foreign tables.
  const [made] = await database.query(
    SQL`select to_regclass('subgraphs.head') is not null and to_regclass('public.deployment_schemas') is not null as made,
      exists (select 1 from pg_class where oid = to_regclass('primary_public.deployment_schemas') and relkind = 'f')
        as sharded`,
  );
  const hint = "Pass the database that the graph-node has as its primary one";
  if (made?.made !== "t")
    throw new DumpError("the database is not that of a graph-node of version 0.40 or later", {
      hint: `${hint}, or update it first.`,
    });
  if (made.sharded === "t")
    throw new DumpError("the database is a shard of a graph-node", { hint: `${hint}.` });
}

/** Reads a deployment of a graph-node. @throws DumpError, DatabaseError */
export async function graphNodeSource(sql: Sql, deployment: string): Promise<DumpSource> {
  const [row] = await sql.query(SQL`select ${deploymentRow.list} ${fromCatalog} and s.subgraph = $1::text`, [
    deployment,
  ]);
  if (!row) throw new DumpError(`${deployment} is not in the database`);
  const found = deploymentRow.read(row);
  const { namespace, schema, manifest } = found;
  if (!/^sgd\d+$/.test(namespace))
    throw new DumpError(`${deployment} has its tables in ${namespace}, not in sgd…`);
  const head = blockOf(found.headNumber, found.headHash);
  return {
    tables: await tablesOf(sql, found),
    facts: {
      deployment,
      network: found.network,
      manifest: {
        specVersion: found.specVersion,
        description: found.description ?? null,
        repository: found.repository ?? null,
        features: found.features,
        fileTypes: found.fileTypes,
        historyBlocks: found.historyBlocks,
      },
      earliestBlock: found.earliestBlock,
      startBlock: blockOf(found.startNumber, found.startHash),
      head,
      graftBase: found.graftBase,
      graftBlock: blockOf(found.graftNumber, found.graftHash),
      debugFork: found.debugFork,
      health: found.health,
    },
    schema,
    manifest,
    countEntities: async () => found.entityCount,
    hasBlock: async ({ number, hash: own }) => {
      if (number > (head?.number ?? -1)) return false;
      return number === head?.number ? head.hash === own : undefined;
    },
  };
}

function blockOf(number: number | undefined, digits: string | undefined): DumpBlock | undefined {
  return number === undefined || digits === undefined ? undefined : { number, hash: `0x${digits}` };
}

/**
 * Old deployments lack one or both of the tables that are not of entities.
 * @throws DumpError if the contracts of templates are kept elsewhere
 */
async function tablesOf(
  sql: Sql,
  found: Pick<RowOf<typeof deploymentRow>, "namespace" | "schema" | "fileTypes" | "manifest">,
): Promise<DumpSource["tables"]> {
  const { namespace, schema, fileTypes, manifest } = found;
  try {
    const layout = layOut(readEntitySchema(schema), namespace, { fileTypes: new Set(fileTypes) });
    const rows = await sql.query(SQL`select tablename as name from pg_tables where schemaname = $1::text`, [
      namespace,
    ]);
    const there = new Set(rows.map(({ name }) => name));
    if (!there.has(dataSourcesType) && mayHaveTemplates(manifest))
      throw new DumpError(
        `${namespace} has no table ${dataSourcesType}: an old graph-node keeps the contracts of templates elsewhere`,
        { hint: "Index the subgraph from its first block." },
      );
    return storedTables(layout, there.has("poi2$")).filter(
      ({ type }) => type !== dataSourcesType || there.has(dataSourcesType),
    );
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    throw new DumpError(`the schema cannot be read: ${error.message}`, { cause: error });
  }
}
