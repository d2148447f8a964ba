import type { BlockPointer } from "../../runtime/chain/chain.js";
import type { WrittenBlock } from "../../runtime/store/store.js";
import { cell } from "../database/columns.js";
import { DatabaseError, SQL, type Sql, type SqlFragment } from "../database/database.js";
import { arrayText, plainArrayText } from "../database/sql-array.js";

/** Blocks whose hashes are remembered. A fork that began before them cannot be told from another chain. */
const remembered = 1000;
/** So much more than the history that is asked for has to be there before it is cut, so that it is not for every block. */
const slack = SQL`1.2`;

/** What the head was moved with. */
export interface MovedHead {
  /** The last number the change log has given away before. */
  readonly seq: bigint;
  /** Whether somebody reads the changes. */
  readonly isWatched: boolean;
}

/**
 * Moves the head of a deployment from one block to another; until the end of the transaction nobody else does. What
 * had ended the indexing is over then.
 * @param changes how many numbers the change log may need
 * @param isNearHead whether the deployment counts as synced from now on
 * @throws DatabaseError when the head is another one: somebody else writes to the same deployment
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
    SQL`update graphloom.deployments d
      set head_number = $2::integer, head_hash = $3::text, feed_seq = feed_seq + $4::bigint, fatal_error = null,
        synced_at = case when $7::boolean then coalesce(synced_at, now()) else synced_at end
      where id = $1::integer and head_number is not distinct from $5::integer
        and head_hash is not distinct from $6::text
      returning feed_seq - $4::bigint as seq,
        exists (select 1 from graphloom.feed_readers r where r.deployment = d.id) as watched`,
    [String(deployment), ...parameters(to), String(changes), ...parameters(from), String(isNearHead)],
  );
  if (!row) throw anotherWrites();
  return { seq: BigInt(cell(row, "seq")), isWatched: row.watched === "t" };
}

/**
 * Keeps the head of a deployment where it is until the end of the transaction.
 * @throws DatabaseError when the head is another one: what was worked out may have been read of what others wrote
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
  return new DatabaseError("another process is writing to this deployment, or it was removed", {
    hint: "Stop the other process, or give one of them a separate database.",
  });
}

/** The channel on which readers of changes hear the numbers of deployments that have new ones. */
export const changeChannel = "graphloom_changes";

/** Wakes those who read the changes of a deployment, once the transaction is committed. */
export async function wakeReaders(sql: Sql, deployment: number): Promise<void> {
  await sql.query(SQL`select pg_notify($1::text, $2::text)`, [changeChannel, String(deployment)]);
}

/** Remembers blocks, and forgets those that are too old. */
export async function rememberBlocks(
  sql: Sql,
  deployment: number,
  blocks: readonly WrittenBlock[],
): Promise<void> {
  const last = blocks.slice(-remembered);
  await sql.query(
    SQL`insert into graphloom.recent_blocks (deployment, number, hash, parent_hash, timestamp)
      select $1::integer, r.* from unnest($2::integer[], $3::text[], $4::text[], $5::bigint[]) as r`,
    [
      String(deployment),
      plainArrayText(last.map(({ number }) => number)),
      arrayText(last.map(({ hash }) => hash)),
      arrayText(last.map(({ parentHash }) => parentHash ?? null)),
      plainArrayText(last.map(({ timestamp }) => timestamp ?? null)),
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

/** Forgets the blocks after one, and remembers that one in any case: it may have been written long ago. */
export async function forgetBlocksAfter(sql: Sql, deployment: number, last: BlockPointer): Promise<void> {
  await dropBlocksAfter(sql, deployment, last.number);
  await sql.query(
    SQL`insert into graphloom.recent_blocks (deployment, number, hash)
      values ($1::integer, $2::integer, $3::text) on conflict do nothing`,
    [String(deployment), String(last.number), last.hash],
  );
}

/** Forgets all blocks: entities can be asked for from the first one on again, since nothing is gone of what comes next. */
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

/** The hash of a block that was written, as long as it is remembered. */
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

/**
 * Moves the first block that entities can be asked for after the head, once so many are kept that it is worth it.
 * @param historyBlocks how many blocks before the head are kept
 * @returns the block; nothing when it stays where it is
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
 * Remembers the last number that the change log has given away, where it was not known before how many there would be.
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
