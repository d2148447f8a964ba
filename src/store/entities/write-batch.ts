import type { WrittenBlock } from "../../runtime/store/store.js";
import { DatabaseError, SQL, type Sql, type SqlText } from "../database/database.js";
import { arrayText, plainArrayText } from "../database/sql-array.js";
import { countRuns } from "../deployments/handler-counts.js";
import { moveEarliestBlock, moveHead, rememberBlocks, wakeReaders } from "../deployments/head.js";
import { recordErrors } from "../deployments/health.js";
import type { RollUp } from "../tables/roll-up-sql.js";
import type { Batch, NewVersion, TypeChanges } from "./batch.js";
import { logBatch } from "./change-log.js";
import { insertDataSources, markFilesDone, type SourceNumbers } from "./data-sources.js";
import type { EntityTable, StoredField } from "./entity-table.js";
import { handlerError } from "./handler-error.js";
import { type ProofPlace, tableOfProofs, writeDigests } from "./proof-digests.js";
import { rollUpBlocks } from "./roll-ups.js";

/** The target of a deployment's entities. */
export interface Target {
  readonly deployment: number;
  readonly tables: ReadonlyMap<string, EntityTable>;
  /** How the aggregation tables are filled. */
  readonly rollUps: readonly RollUp[];
  readonly sources: SourceNumbers;
  /** Where the digests of proofs of indexing are; absent if none are kept. */
  readonly proofs?: ProofPlace | undefined;
  /** How many blocks before the head are kept; all by default. */
  readonly historyBlocks?: number | undefined;
}

/**
 * Writes blocks as a whole, in a transaction.
 * @param before the head they follow
 * @throws DatabaseError
 */
export async function writeBatch(
  sql: Sql,
  { deployment, tables, rollUps, sources, proofs, historyBlocks }: Target,
  before: WrittenBlock | undefined,
  batch: Batch,
): Promise<void> {
  const last = batch.blocks.at(-1);
  const { seq, isWatched, branch } = await moveHead(
    sql,
    deployment,
    before,
    last,
    batch.size,
    batch.isNearHead,
  );
  for (const [type, changes] of batch.types) {
    const table = tables.get(type);
    if (!table) throw new Error(`the schema has no entity type ${type}`);
    await endVersions(sql, table, changes);
    await insertVersions(sql, table, changes.versions);
  }
  const rolledUp = await rollUpBlocks(sql, rollUps, before, batch.blocks);
  if (isWatched) {
    await logBatch(
      sql,
      { deployment, namespace: sources.namespace, tables },
      { seq, branch },
      batch,
      rolledUp,
    );
    await wakeReaders(sql, deployment);
  }
  await insertDataSources(sql, sources, batch.dataSources);
  await markFilesDone(sql, sources, batch.filesDone);
  if (proofs) await writeDigests(sql, proofs, batch.digests);
  await countRuns(sql, deployment, batch.blocks);
  await rememberBlocks(sql, deployment, batch.blocks, batch.isNearHead);
  await recordErrors(sql, deployment, batch.errors.map(handlerError));
  if (historyBlocks === undefined) return;
  await prune(
    sql,
    deployment,
    [...tables.values(), ...(proofs ? [tableOfProofs(proofs)] : [])],
    historyBlocks,
  );
}

/** @throws DatabaseError if a version that was read is no longer current, because something else writes to the table */
async function endVersions(sql: Sql, table: EntityTable, { ended }: TypeChanges): Promise<void> {
  if (table.layout.immutable) return;
  const read: { readonly id: string; readonly vid: bigint; readonly block: number }[] = [];
  const unread: { readonly id: string; readonly block: number }[] = [];
  for (const [id, { vid, block }] of ended) {
    if (vid === undefined) unread.push({ id: table.ids.stored(id), block });
    else read.push({ id: table.ids.stored(id), vid, block });
  }
  const idsOf = (ends: readonly { readonly id: string }[]): SqlText => arrayText(ends.map(({ id }) => id));
  const blocksOf = (ends: readonly { readonly block: number }[]): SqlText =>
    plainArrayText(ends.map(({ block }) => block));
  if (unread.length > 0) await sql.query(table.ending, [idsOf(unread), blocksOf(unread)]);
  if (read.length === 0) return;
  const vids = plainArrayText(read.map(({ vid }) => vid));
  const [row] = await sql.query(table.endingOfVids, [idsOf(read), blocksOf(read), vids]);
  if (Number(row?.count) !== read.length)
    throw new DatabaseError(
      `only ${row?.count} of ${read.length} versions of ${table.type.name} are still current: another process has changed the table`,
    );
}

async function insertVersions(sql: Sql, table: EntityTable, versions: readonly NewVersion[]): Promise<void> {
  if (versions.length === 0) return;
  await sql.query(table.insertion, [
    plainArrayText(versions.map(({ vid }) => vid)),
    plainArrayText(versions.map(({ from }) => from)),
    plainArrayText(versions.map(({ to }) => to ?? null)),
    ...table.fields.map((field) => columnText(field, versions)),
    ...(table.layout.causalityRegion ? [plainArrayText(versions.map(({ region = 0 }) => region))] : []),
  ]);
}

/** The values of one field of many entities. */
function columnText({ field, column: { codec } }: StoredField, versions: readonly NewVersion[]): SqlText {
  const values = versions.map(({ entity }) => codec.toSql(entity.get(field.name)));
  return codec.isBare ? plainArrayText(values) : arrayText(values);
}

interface PrunedTable extends Pick<EntityTable, "name" | "versions"> {
  readonly layout: Pick<EntityTable["layout"], "immutable">;
}

/**
 * Deletes versions that ended before the kept history, in the transaction that writes the blocks. The earliest
 * queryable block moves with it. Immutable entities stay, because they never end.
 * @param historyBlocks how many blocks before the head are kept
 */
async function prune(
  sql: Sql,
  deployment: number,
  tables: Iterable<PrunedTable>,
  historyBlocks: number,
): Promise<void> {
  const earliest = await moveEarliestBlock(sql, deployment, historyBlocks);
  if (earliest === undefined) return;
  for (const { name, layout, versions } of tables) {
    if (layout.immutable) continue;
    await sql.query(SQL`delete from ${name} where ${versions.hasEnded(SQL`<= $1::integer`)}`, [
      String(earliest),
    ]);
  }
}
