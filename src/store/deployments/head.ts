import type { BlockPointer } from "../../runtime/chain/chain.js";
import type { WrittenBlock } from "../../runtime/store/store.js";
import { cell } from "../database/columns.js";
import { DatabaseError, SQL, type Sql, type SqlFragment } from "../database/database.js";
import { notify } from "../database/notify.js";
import { arrayText, plainArrayText } from "../database/sql-array.js";
import { type CountedBlock, runsText } from "./handler-counts.js";

/** The number of blocks whose hashes are kept. A fork that started before them looks like a different chain. */
const remembered = 1000;
/** Prune only once the history exceeds its limit by this factor, so that not every block prunes. */
const slack = SQL`1.2`;

/** The result of moving the head. */
export interface MovedHead {
  /** The last number that the change log has assigned so far. */
  readonly seq: bigint;
  /** Whether the change log has readers. */
  readonly isWatched: boolean;
  /** The branch of the change log: another one after each reversal. */
  readonly branch: string;
}

/**
 * Moves the head of a deployment from one block to another, and blocks other writers until the end of the
 * transaction. This clears a failure that had ended indexing.
 * @param changes how many numbers the change log may need
 * @param isNearHead whether the deployment counts as synced from now on
 * @throws DatabaseError if the head is a different block, because another process writes to the deployment
 */
export async function moveHead(
  sql: Sql,
  deployment: number,
  from: BlockPointer | undefined,
  to: BlockPointer | undefined,
  changes: number,
  isNearHead = false,
): Promise<MovedHead> {
  const [row] = await sql.query(
    SQL`update graphloom.deployments
      set head_number = $2::integer, head_hash = $3::text, feed_seq = feed_seq + $4::bigint, fatal_error = null,
        synced_at = case when $7::boolean then coalesce(synced_at, now()) else synced_at end
      where id = $1::integer and head_number is not distinct from $5::integer
        and head_hash is not distinct from $6::text
      returning feed_seq - $4::bigint as seq, feed_branch`,
    [String(deployment), ...parameters(to), String(changes), ...parameters(from), String(isNearHead)],
  );
  if (!row) throw anotherWrites();
  // A reader that began while the update waited is seen only by a later statement.
  const [readers] = await sql.query(
    SQL`select exists (select from graphloom.feed_readers where deployment = $1::integer) as watched`,
    [String(deployment)],
  );
  return {
    seq: BigInt(cell(row, "seq")),
    isWatched: readers?.watched === "t",
    branch: cell(row, "feed_branch"),
  };
}

/** Stores the branch of the change log that a reversal begins. */
export async function keepBranch(sql: Sql, deployment: number, branch: string): Promise<void> {
  await sql.query(SQL`update graphloom.deployments set feed_branch = $2::text where id = $1::integer`, [
    String(deployment),
    branch,
  ]);
}

/**
 * Locks the head of a deployment until the end of the transaction.
 * @throws DatabaseError if the head is a different block: the result may come from reading another writer's data
 */
export async function keepHead(sql: Sql, deployment: number, head: BlockPointer | undefined): Promise<void> {
  const rows = await sql.query(
    SQL`select from graphloom.deployments where id = $1::integer and head_number is not distinct from $2::integer
      and head_hash is not distinct from $3::text for update`,
    [String(deployment), ...parameters(head)],
  );
  if (rows.length === 0) throw anotherWrites();
}

function anotherWrites(): DatabaseError {
  return new DatabaseError("another process is writing to this deployment, or it was rewound or removed", {
    hint: "Stop the other process, or give one of them a separate database.",
  });
}

/** The channel that sends the numbers of deployments with new changes. */
export const changeChannel = "graphloom_changes";

/** Notifies the readers of a deployment's changes once the transaction is committed. They also look by themselves. */
export async function wakeReaders(sql: Sql, deployment: number): Promise<void> {
  await notify(sql, changeChannel, String(deployment));
}

/**
 * Stores blocks, and deletes the ones that are too old.
 * @param isNearHead whether a reorganisation may replace them, so that what they added to counts is kept as
 * well
 */
export async function rememberBlocks(
  sql: Sql,
  deployment: number,
  blocks: readonly (WrittenBlock & CountedBlock)[],
  isNearHead = false,
): Promise<void> {
  const last = blocks.slice(-remembered);
  await sql.query(
    SQL`insert into graphloom.recent_blocks (deployment, number, hash, parent_hash, timestamp, runs)
      select $1::integer, r.number, r.hash, r.parent_hash, r.timestamp, r.runs::jsonb
        from unnest($2::integer[], $3::text[], $4::text[], $5::bigint[], $6::text[])
          as r(number, hash, parent_hash, timestamp, runs)`,
    [
      String(deployment),
      plainArrayText(last.map(({ number }) => number)),
      arrayText(last.map(({ hash }) => hash)),
      arrayText(last.map(({ parentHash }) => parentHash ?? null)),
      plainArrayText(last.map(({ timestamp }) => timestamp ?? null)),
      arrayText(last.map((block) => (isNearHead ? runsText(block) : null))),
    ],
  );
  await sql.query(
    SQL`delete from graphloom.recent_blocks where deployment = $1::integer and number <= (
      select number from graphloom.recent_blocks where deployment = $1::integer
        order by number desc offset ${remembered} limit 1)`,
    [String(deployment)],
  );
}

/** The last blocks written, newest first. */
export async function readRecentBlocks(
  sql: Sql,
  deployment: number,
  count: number,
): Promise<readonly BlockPointer[]> {
  const rows = await sql.query(
    SQL`select number, hash from graphloom.recent_blocks where deployment = $1::integer
      order by number desc limit $2::integer`,
    [String(deployment), String(Math.min(count, remembered))],
  );
  return rows.map((row) => ({ number: Number(cell(row, "number")), hash: cell(row, "hash") }));
}

/** Deletes the blocks after the given one. Stores the given one in any case, because it may be old. */
export async function forgetBlocksAfter(sql: Sql, deployment: number, last: WrittenBlock): Promise<void> {
  const { number, hash, parentHash, timestamp } = last;
  await dropBlocksAfter(sql, deployment, number);
  await sql.query(
    SQL`insert into graphloom.recent_blocks (deployment, number, hash, parent_hash, timestamp)
      values ($1::integer, $2::integer, $3::text, $4::text, $5::bigint) on conflict do nothing`,
    [
      String(deployment),
      String(number),
      hash,
      parentHash ?? null,
      timestamp === undefined ? null : String(timestamp),
    ],
  );
}

/** Deletes all blocks. Entities become queryable from the first block again, because nothing after it was pruned. */
export async function forgetAllBlocks(sql: Sql, deployment: number): Promise<void> {
  await dropBlocksAfter(sql, deployment, -1);
  await sql.query(SQL`update graphloom.deployments set earliest_block = start_block where id = $1::integer`, [
    String(deployment),
  ]);
}

async function dropBlocksAfter(sql: Sql, deployment: number, last: number): Promise<void> {
  await sql.query(
    SQL`delete from graphloom.recent_blocks where deployment = $1::integer and number > $2::integer`,
    [String(deployment), String(last)],
  );
}

/** The hash of a written block, while it is stored. */
export async function rememberedHash(
  sql: Sql,
  deployment: number,
  block: number,
): Promise<string | undefined> {
  const [known] = await sql.query(
    SQL`select hash from graphloom.recent_blocks where deployment = $1::integer and number = $2::integer`,
    [String(deployment), String(block)],
  );
  return known?.hash ?? undefined;
}

/** The hashes of written blocks in a range, both ends inclusive, as far as they are stored. */
export async function rememberedHashes(
  sql: Sql,
  deployment: number,
  from: number,
  to: number,
): Promise<ReadonlyMap<number, string>> {
  const rows = await sql.query(
    SQL`select number, hash from graphloom.recent_blocks
      where deployment = $1::integer and number between $2::integer and $3::integer`,
    [String(deployment), String(from), String(to)],
  );
  return new Map(rows.map((row) => [Number(cell(row, "number")), cell(row, "hash")]));
}

/** The last written block up to a number, while one is stored. */
export async function lastRemembered(
  sql: Sql,
  deployment: number,
  most: number,
): Promise<BlockPointer | undefined> {
  const [row] = await sql.query(
    SQL`select number, hash from graphloom.recent_blocks where deployment = $1::integer and number <= $2::integer
      order by number desc limit 1`,
    [String(deployment), String(most)],
  );
  return row && { number: Number(cell(row, "number")), hash: cell(row, "hash") };
}

/** The oldest written block whose hash is stored. */
export async function oldestRemembered(sql: Sql, deployment: number): Promise<number | undefined> {
  const [row] = await sql.query(
    SQL`select min(number) as number from graphloom.recent_blocks where deployment = $1::integer`,
    [String(deployment)],
  );
  return row?.number == null ? undefined : Number(row.number);
}

/**
 * Moves the earliest queryable block forward once enough history has accumulated.
 * @param historyBlocks how many blocks before the head are kept
 * @returns the new earliest block, or `undefined` if it did not move
 */
export async function moveEarliestBlock(
  sql: Sql,
  deployment: number,
  historyBlocks: number,
): Promise<number | undefined> {
  const [row] = await sql.query(
    SQL`update graphloom.deployments set earliest_block = head_number - $2::integer
      where id = $1::integer and head_number - earliest_block > $2::integer * ${slack}
      returning earliest_block`,
    [String(deployment), String(historyBlocks)],
  );
  return row?.earliest_block == null ? undefined : Number(row.earliest_block);
}

/**
 * Stores the last number that the change log has assigned, where the count was not known in advance.
 * @param changeLog the quoted name of its table
 */
export async function keepLastNumber(sql: Sql, deployment: number, changeLog: SqlFragment): Promise<void> {
  await sql.query(
    SQL`update graphloom.deployments set feed_seq = greatest(feed_seq, (
      select max(seq) from ${changeLog})) where id = $1::integer`,
    [String(deployment)],
  );
}

function parameters(block: BlockPointer | undefined): [string | null, string | null] {
  return block ? [String(block.number), block.hash] : [null, null];
}
