import { isSameNumber } from "./answer.js";
import { chainFacts, contracts } from "./chain.js";
import { indexed, type Row, rowsOf } from "./product.js";
import { type Place, Unsolved } from "./task.js";

/** The last block that the holders are checked at. */
export const holdersUntil = 8_214_345;

/**
 * Checks that a configuration stores a `Holder` for each account that has received WETH, with its balance after the last
 * transfer to it.
 * @param decimals how many decimals of the token `balance` has: 0 for the smallest units
 * @throws Unsolved
 */
export async function mustKeepHolders(
  place: Place,
  word: string,
  { decimals = 0, more = [] }: { readonly decimals?: number; readonly more?: readonly string[] } = {},
): Promise<void> {
  const holders = rowsOf(await indexed(place, word, holdersUntil, more), "Holder");
  const expected = await expectedHolders(place);
  const found = new Map(holders.map((holder) => [String(holder.id).toLowerCase(), holder]));
  for (const [account, balance] of expected) {
    const holder: Row | undefined = found.get(account);
    if (!holder) throw new Unsolved(`there is no Holder with the id ${account}`);
    const wanted = decimals === 0 ? balance.toString() : withDecimals(balance, decimals);
    if (!isSameNumber(holder.balance, wanted))
      throw new Unsolved(`Holder ${account} has the balance ${holder.balance} instead of ${wanted}`);
  }
  if (found.size > expected.size)
    throw new Unsolved(`there are ${found.size} Holders instead of ${expected.size}`);
}

/** Balances by account, after the last transfer to each. */
async function expectedHolders(place: Place): Promise<ReadonlyMap<string, bigint>> {
  const facts = chainFacts(place);
  const transfers = await facts.events("Token", "Transfer", holdersUntil, contracts.weth);
  const last = new Map(transfers.map(({ params, block }) => [String(params.to), block]));
  const balances = await Promise.all(
    [...last].map(
      async ([account, block]) =>
        [
          account,
          BigInt(String(await facts.read("Token", contracts.weth, "balanceOf", [account], block))),
        ] as const,
    ),
  );
  return new Map(balances);
}

function withDecimals(amount: bigint, decimals: number): string {
  const digits = amount.toString().padStart(decimals + 1, "0");
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
