import type { Database } from "../../store/database/database.js";
import { unaskedTokens, writeMetadata } from "../catalog/catalog-rows.js";
import { readMetadata } from "../catalog/read-metadata.js";
import type { DataNode } from "../nodes/data-node.js";
import type { MovedTokens } from "./filling-place.js";

/** Blocks before the last searched one that are searched again, since others may have taken their places. */
const overlap = 256;
/** Tokens that are asked for at once. */
const together = 100;

/**
 * Asks the contracts of all tokens that were moved for their names and decimals, once each.
 * @param database with the catalog
 * @param moved the tokens, wherever the rows are
 * @throws DatabaseError; ChainError if the node does not answer; what the place of the rows throws
 */
export async function fillTokens(
  database: Database,
  moved: MovedTokens,
  chain: string,
  node: DataNode,
  signal: AbortSignal,
): Promise<void> {
  const head = await moved.head(chain);
  if (!head) return;
  const { number: last, hash } = head;
  let from = Math.max(0, (await moved.noted(chain)) + 1 - overlap);
  while (from <= last && !signal.aborted) {
    const to = Math.min(last, from + moved.span - 1);
    const tokens = await moved.between(chain, from, to);
    for (let index = 0; index < tokens.length; index += together) {
      const some = await unaskedTokens(database, chain, tokens.slice(index, index + together));
      await writeMetadata(
        database,
        await Promise.all(some.map((token) => readMetadata(chain, token, node, hash))),
      );
    }
    await moved.note(chain, to);
    from = to + 1;
  }
}
