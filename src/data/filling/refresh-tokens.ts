import type { BlockPointer } from "../../runtime/chain/chain.js";
import type { Database } from "../../store/database/database.js";
import { type DatedMetadata, type TokenMetadata, writeMetadata } from "../catalog/catalog-rows.js";
import { readMetadata } from "../catalog/read-metadata.js";
import { type FillingNode, UnknownStateError } from "../nodes/data-node.js";
import type { MovedTokens } from "./filling-place.js";

/** The dependencies of asking tokens. */
export interface TokenAsking {
  /** With the catalog. */
  readonly database: Database;
  /** The tokens with transfers, wherever the rows are. */
  readonly moved: MovedTokens;
  readonly chain: string;
  readonly node: FillingNode;
  /** Seconds since 1970. */
  now(): number;
}

/** How many tokens to ask at once. */
const together = 50;

/**
 * Asks tokens again, and records new answers from the block at which they changed. If a contract no longer answers,
 * its last answer stays.
 * @param tokens with their last answers
 * @param newest the block at which they are asked
 * @throws DatabaseError; ChainError if the node does not answer
 */
export async function refreshTokens(
  asking: TokenAsking,
  tokens: readonly DatedMetadata[],
  newest: BlockPointer,
  signal: AbortSignal,
): Promise<void> {
  const { database, now } = asking;
  for (let index = 0; index < tokens.length && !signal.aborted; index += together) {
    const rows = await Promise.all(
      tokens.slice(index, index + together).map(async (known): Promise<DatedMetadata> => {
        const said = await factsAt(asking, known, newest.hash);
        const asked = { askedBlock: newest.number, askedAt: now() };
        if (isEqual(said, known)) return { ...known, ...asked };
        return { ...said, fromBlock: await changedAt(asking, known, newest), ...asked };
      }),
    );
    await writeMetadata(database, rows);
  }
}

async function factsAt(
  { chain, node }: Pick<TokenAsking, "chain" | "node">,
  known: TokenMetadata,
  hash: string,
): Promise<TokenMetadata> {
  const { symbol, name, decimals } = await readMetadata(chain, known.token, node, hash);
  return {
    chain,
    token: known.token,
    symbol: symbol ?? known.symbol,
    name: name ?? known.name,
    decimals: decimals ?? known.decimals,
  };
}

/**
 * The first block at which a token's answer differs from the last one. Searches as far back as the node has state:
 * the earliest block known to differ counts.
 */
async function changedAt(
  asking: Pick<TokenAsking, "moved" | "chain" | "node">,
  known: DatedMetadata,
  newest: BlockPointer,
): Promise<number> {
  let same = Math.min(known.askedBlock, newest.number - 1);
  let differs = newest.number;
  while (differs - same > 1) {
    const middle = Math.floor((same + differs) / 2);
    const hash = await asking.moved.hashOf(asking.chain, middle);
    let isSame: boolean;
    try {
      if (hash === undefined) return differs;
      isSame = isEqual(await factsAt(asking, known, hash), known);
    } catch (error) {
      if (!(error instanceof UnknownStateError)) throw error;
      // The node has no state before some block.
      isSame = true;
    }
    if (isSame) same = middle;
    else differs = middle;
  }
  return differs;
}

function isEqual(one: TokenMetadata, other: TokenMetadata): boolean {
  return one.symbol === other.symbol && one.name === other.name && one.decimals === other.decimals;
}
