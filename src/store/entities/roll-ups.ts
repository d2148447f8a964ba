import type { WrittenBlock } from "../../runtime/store/store.js";
import { joinFragments, SQL, type Sql } from "../database/database.js";
import { timestampText } from "../database/timestamps.js";
import type { RollUp } from "../tables/roll-up-sql.js";

/** A written row of an aggregation. */
export interface RolledUp {
  readonly rollUp: RollUp;
  /** The block that wrote it. */
  readonly block: number;
  readonly vid: bigint;
}

/**
 * Writes the rows of aggregations that blocks close: with the first block in a later hour or day. The points of the
 * blocks must already be written.
 * @param before the block they follow; if it has no time, the pending buckets are looked up
 * @returns the rows in the order of the blocks
 * @throws Error for a block without a time
 */
export async function rollUpBlocks(
  sql: Sql,
  rollUps: readonly RollUp[],
  before: WrittenBlock | undefined,
  blocks: readonly WrittenBlock[],
): Promise<readonly RolledUp[]> {
  if (rollUps.length === 0) return [];
  const rows: RolledUp[] = [];
  let last = before?.timestamp;
  for (const block of blocks) {
    const time = timeOf(block);
    const since = last;
    const due = rollUps.filter((rollUp) => since === undefined || start(rollUp, since) < start(rollUp, time));
    for (const pending of await pendingBuckets(sql, due, block.number, time)) {
      rows.push(...(await rollUpBucket(sql, pending, block.number)));
    }
    last = time;
  }
  return rows;
}

/** @throws Error if a block has no time */
export function timeOf({ number, timestamp }: WrittenBlock): bigint {
  if (timestamp === undefined)
    throw new Error(`block ${number} has no timestamp, which the aggregations of the schema require`);
  return timestamp;
}

/** The start of the bucket that contains a time in Unix seconds. */
function start({ seconds }: RollUp, time: bigint): bigint {
  return time - (time % BigInt(seconds));
}

interface PendingBucket {
  readonly rollUp: RollUp;
  /** The starts of a bucket and of the next one, in the database's text form. */
  readonly from: string;
  readonly to: string;
}

/** The buckets before the given time's bucket whose points are not rolled up yet: mostly one. */
async function pendingBuckets(
  sql: Sql,
  rollUps: readonly RollUp[],
  block: number,
  time: bigint,
): Promise<readonly PendingBucket[]> {
  if (rollUps.length === 0) return [];
  const each = rollUps.map(
    ({ points, pointBlock, seconds, isPending }, index) =>
      SQL`select ${index} as n, date_bin('${seconds} s', p."timestamp", timestamptz 'epoch') as since,
          interval '${seconds} s' as length
        from ${points} p where ${isPending} and p."timestamp" < $${index + 2}::timestamptz and ${pointBlock} < $1::integer
        group by 2`,
  );
  const rows = await sql.query(
    SQL`select n, since as "from", since + length as "to" from (${joinFragments(
      each,
      SQL`
union all `,
    )}) buckets order by n, since`,
    [String(block), ...rollUps.map((rollUp) => timestampText(start(rollUp, time) * 1_000_000n))],
  );
  return rows.flatMap(({ n, from, to }) => {
    const rollUp = rollUps[Number(n)];
    return rollUp && from != null && to != null ? [{ rollUp, from, to }] : [];
  });
}

async function rollUpBucket(
  sql: Sql,
  { rollUp, from, to }: PendingBucket,
  block: number,
): Promise<readonly RolledUp[]> {
  const rows = await sql.query(rollUp.insertion, [from, to, String(block)]);
  return rows.map(({ vid }) => ({ rollUp, block, vid: BigInt(vid ?? 0) }));
}
