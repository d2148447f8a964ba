import type { BlockPointer } from "../../runtime/chain/chain.js";
import { RpcError } from "../../runtime/chain/rpc-errors.js";
import { type DatedMetadata, unaskedTokens, writeMetadata } from "../catalog/catalog-rows.js";
import { readMetadata } from "../catalog/read-metadata.js";
import { markedTokens, removeMarks, writeFirstMarks } from "../catalog/token-marks.js";
import {
  askedTokens,
  dueTokens,
  notedUpgrades,
  noteUpgrades,
  registeredTokens,
} from "../catalog/token-refresh.js";
import { nativeToken } from "../chains/native-token.js";
import { balanceOf, totalSupply, wordIn } from "../nodes/balance-of.js";
import { refreshTokens, type TokenAsking } from "./refresh-tokens.js";
import { findWrapped } from "./wrapped-natives.js";

/** How many blocks to search again, since a reorganisation may have replaced them. */
const overlap = 256;
/** How many tokens to ask at once. */
const together = 100;
/** Seconds after which a token is asked again. */
const day = 86_400;
/** How many tokens without prices to ask again at a time. There may be millions. */
const fewUnpriced = 5;
/** How many blocks to search for upgrades at once, unless the node takes fewer. */
const upgradeSpan = 5_000;

/** withdraw(uint256) of zero, which hardly any contract accepts unless it wraps native coins. */
const withdrawNothing = `0x2e1a7d4d${"0".repeat(64)}`;

/** supportsInterface(0x80ac58cd), which collections of unique tokens (ERC-721) answer with 1. */
const isCollection = `0x01ffc9a780ac58cd${"0".repeat(56)}`;

/**
 * Asks the contracts of tokens for their names and decimals: tokens that were moved, registered or upgraded since the
 * last run, and tokens last asked a day ago.
 * @param isAll whether to ask all again
 * @throws DatabaseError; ChainError if the node does not answer; errors of the rows' store
 */
export async function fillTokens(asking: TokenAsking, isAll: boolean, signal: AbortSignal): Promise<void> {
  const { database, moved, chain, now } = asking;
  const head = await moved.head(chain);
  if (!head) return;
  const { last, newest } = head;
  // Read before new tokens are added.
  const again = isAll ? await askedTokens(database, chain) : [];
  let from = Math.max(0, (await moved.noted(chain)) + 1 - overlap);
  while (from <= last && !signal.aborted) {
    const to = Math.min(last, from + moved.span - 1);
    const found = await moved.between(chain, from, to);
    await askFirst(asking, found, newest);
    await unmarkMoved(asking, found);
    await moved.note(chain, to);
    from = to + 1;
  }
  if (signal.aborted) return;
  // Every token with a transfer has been asked at this point.
  const unmoved = await registeredTokens(database, chain);
  await askFirst(asking, unmoved, newest);
  await markUnmoved(asking, unmoved, newest);
  await refreshTokens(asking, again, newest, signal);
  await refreshUpgraded(asking, newest, signal);
  if (signal.aborted) return;
  await refreshTokens(asking, await dueTokens(database, chain, now() - day, fewUnpriced), newest, signal);
}

/** Asks tokens that were never asked. Treats their answers as valid from the beginning. */
async function askFirst(
  { database, chain, node, now }: TokenAsking,
  tokens: readonly string[],
  newest: BlockPointer,
): Promise<void> {
  for (let index = 0; index < tokens.length; index += together) {
    const some = await unaskedTokens(database, chain, tokens.slice(index, index + together));
    const asked = await Promise.all(
      some.map(async (token) => {
        const [said, withdrawn, unique] = await Promise.all([
          readMetadata(chain, token, node, newest.hash),
          node.call(token, withdrawNothing, newest.hash),
          node.call(token, isCollection, newest.hash),
        ]);
        const fact: DatedMetadata = { ...said, fromBlock: 0, askedBlock: newest.number, askedAt: now() };
        return { fact, mayWrap: withdrawn !== undefined, isUnique: wordIn(unique) === 1n };
      }),
    );
    await writeMetadata(
      database,
      asked.map(({ fact }) => fact),
    );
    // Old collections emit transfers that look like ERC-20 transfers, with an id in place of the amount.
    const unique = asked.filter(({ isUnique }) => isUnique).map(({ fact }) => fact.token);
    const mark = { chain, kind: "non_fungible", blockNumber: newest.number, blockHash: newest.hash } as const;
    const evidence = "The contract says that it supports ERC-721.";
    await writeFirstMarks(
      database,
      unique.map((token) => ({ ...mark, token, evidence })),
    );
    const wrapping = asked.filter(({ mayWrap }) => mayWrap).map(({ fact }) => fact.token);
    await findWrapped(database, chain, wrapping, node);
  }
}

/**
 * Marks tokens that have holders but no transfers: their holders are unknown. From now on, the deposits of
 * tokens that wrap native coins are read.
 */
async function markUnmoved(
  { database, chain, node }: TokenAsking,
  tokens: readonly string[],
  { number, hash }: BlockPointer,
): Promise<void> {
  for (let index = 0; index < tokens.length; index += together) {
    const supplies = await Promise.all(
      tokens.slice(index, index + together).map(async (token) => {
        const [supply, balance, withdrawn] = await Promise.all([
          node.call(token, totalSupply, hash),
          node.call(token, balanceOf(nativeToken), hash),
          node.call(token, withdrawNothing, hash),
        ]);
        const isToken = wordIn(balance) !== undefined && withdrawn === undefined;
        return { token, supply: wordIn(supply), isToken };
      }),
    );
    const found = supplies.filter(({ supply, isToken }) => isToken && supply !== 0n);
    const mark = { chain, kind: "no_transfers", blockNumber: number, blockHash: hash } as const;
    await writeFirstMarks(
      database,
      found.map(({ token, supply }) => ({
        ...mark,
        token,
        evidence: `There is no transfer up to block ${number}, and totalSupply ${supply === undefined ? "does not answer" : `gives ${supply}`}.`,
      })),
    );
  }
}

/** Removes the marks of tokens for having no transfers, once they have one. */
async function unmarkMoved({ database, chain }: TokenAsking, moved: readonly string[]): Promise<void> {
  if (moved.length === 0) return;
  const marked = new Set(await markedTokens(database, chain, "no_transfers"));
  await removeMarks(
    database,
    chain,
    moved.filter((token) => marked.has(token)),
  );
}

/** Asks tokens again that were upgraded since the last run. Upgrades before the first run make no difference. */
async function refreshUpgraded(
  asking: TokenAsking,
  newest: BlockPointer,
  signal: AbortSignal,
): Promise<void> {
  const { database, chain, node } = asking;
  const noted = await notedUpgrades(database, chain);
  if (noted === undefined) {
    await noteUpgrades(database, chain, newest.number);
    return;
  }
  let from = Math.max(0, noted + 1 - overlap);
  let span = upgradeSpan;
  while (from <= newest.number && !signal.aborted) {
    const to = Math.min(newest.number, from + span - 1);
    let upgraded: readonly string[];
    try {
      upgraded = await node.upgraded(from, to);
    } catch (error) {
      if (!(error instanceof RpcError) || span === 1) throw error;
      span = Math.ceil(span / 2);
      continue;
    }
    await refreshTokens(asking, await askedTokens(database, chain, upgraded), newest, signal);
    await noteUpgrades(database, chain, to);
    from = to + 1;
  }
}
