import { cell } from "../../store/database/columns.js";
import { type Database, SQL } from "../../store/database/database.js";
import { writeMetadata } from "../catalog/catalog-rows.js";
import { readMetadata } from "../catalog/read-metadata.js";
import { notedTokens, noteTokens } from "../chains/filled-chains.js";
import type { DataNode } from "../nodes/data-node.js";
import { tableOf } from "./chain-tables.js";

/** Blocks that are searched for tokens at once. */
const span = 10_000;
/** Blocks before the last searched one that are searched again, since others may have taken their places. */
const overlap = 256;
/** Tokens that are asked for at once. */
const together = 100;

/**
 * Asks the contracts of all tokens that were moved for their names and decimals, once each.
 * @throws DatabaseError; ChainError if the node does not answer
 */
export async function fillTokens(
  database: Database,
  chain: string,
  node: DataNode,
  signal: AbortSignal,
): Promise<void> {
  const [head] = await database.query(
    SQL`select number, hash from ${tableOf(chain, "blocks")} order by number desc limit 1`,
  );
  if (!head) return;
  const last = Number(cell(head, "number"));
  let from = Math.max(0, (await notedTokens(database, chain)) + 1 - overlap);
  while (from <= last && !signal.aborted) {
    const to = Math.min(last, from + span - 1);
    const rows = await database.query(
      SQL`select distinct t.token from ${tableOf(chain, "transfers")} t
        where t.block_number between $1::bigint and $2::bigint
          and not exists (select 1 from graphloom.data_tokens m where m.chain = $3::text and m.token = t.token)`,
      [String(from), String(to), chain],
    );
    const tokens = rows.map((row) => cell(row, "token"));
    for (let index = 0; index < tokens.length; index += together) {
      const some = tokens.slice(index, index + together);
      const hash = cell(head, "hash");
      await writeMetadata(
        database,
        await Promise.all(some.map((token) => readMetadata(chain, token, node, hash))),
      );
    }
    await noteTokens(database, chain, to);
    from = to + 1;
  }
}
