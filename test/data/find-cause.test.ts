import fc from "fast-check";
import { expect, it } from "vitest";
import { type Difference, findCause } from "../../src/data/audit/find-cause.js";
import { propertyRun } from "../support/property/property-run.js";

/** What happens to a wallet's balance of a token in a block. */
interface Happening {
  /** What its transfers say. */
  readonly moved: bigint;
  /** What the balance changes besides. */
  readonly silent: bigint;
}

const wallet = `0x${"1".repeat(40)}`;
const hashOf = (block: number): string => `0x${block}`;

/**
 * The difference that happenings lead to, one for each block after block 0, and what the balance was at each block.
 * @param held what the wallet held at block 0
 */
function made(
  held: bigint,
  happenings: readonly Happening[],
): { readonly difference: Difference; readonly history: readonly bigint[] } {
  const history = [held];
  for (const { moved, silent } of happenings) history.push((history.at(-1) ?? 0n) + moved + silent);
  const number = happenings.length;
  const moves = happenings
    .map(({ moved }, index) => ({
      number: index + 1,
      hash: hashOf(index + 1),
      parentHash: hashOf(index),
      amount: moved,
    }))
    .filter(({ amount }) => amount !== 0n)
    .reverse();
  const difference = {
    wallet,
    block: { number, hash: hashOf(number) },
    moves,
    isWhole: true,
    start: { number: 0, hash: hashOf(0) },
    sum: happenings.reduce((sum, { moved }) => sum + moved, 0n),
    balance: history.at(-1) ?? 0n,
  };
  return { difference, history };
}

/** A node that has the state from a block on. */
function nodeOf(history: readonly bigint[], from = 0): (hash: string) => Promise<bigint | undefined> {
  return async (hash) => (Number(hash.slice(2)) < from ? undefined : history[Number(hash.slice(2))]);
}

const move = (moved: bigint, silent = 0n): Happening => ({ moved, silent });

it.each([
  [
    "rebasing",
    0n,
    [move(50n), move(0n), move(0n, 50n)],
    "held 50 at block 1 and 100 at block 3, without a transfer",
  ],
  ["rebasing", 0n, [move(50n), move(0n, 5n), move(7n), move(-7n)], "held 50 at block 1 and 55 at block 2"],
  [
    "fee_taking",
    0n,
    [move(1_000n, -10n), move(0n)],
    "brought 0x1111111111111111111111111111111111111111 1000, and its balance rose by 990",
  ],
  [
    "fee_taking",
    0n,
    [move(1_000n), move(-100n, -1n)],
    "took 100 from 0x1111111111111111111111111111111111111111, and its balance fell by 101",
  ],
  ["differs", 0n, [move(1_000n, -1_000n)], "its balance stayed as it was"],
  ["differs", 0n, [move(1_000n, 1n)], "its balance rose by 1001"],
  ["pre_history", 7n, [move(1_000n), move(-1n)], "held 7 at block 0, before the transfers in the tables"],
] as const)("findCause finds the cause %s", async (kind, held, happenings, evidence) => {
  const { difference, history } = made(held, happenings);
  const cause = await findCause(difference, nodeOf(history));
  expect(cause).toEqual({ kind, evidence: expect.stringContaining(evidence) });
});

it("findCause names no cause from before the oldest state that the node has", async () => {
  const { difference, history } = made(0n, [move(50n), move(0n, 50n), move(1n), move(2n), move(3n)]);
  for (const [from, kind] of [
    [1, "rebasing"],
    [2, "differs"],
    [4, "differs"],
    [9, "differs"],
  ] as const)
    expect([from, (await findCause(difference, nodeOf(history, from))).kind]).toEqual([from, kind]);
  const cut = {
    ...difference,
    isWhole: false,
    moves: difference.moves.slice(0, 2),
    start: { number: 0, hash: undefined },
  };
  expect((await findCause(cut, nodeOf(history))).kind).toBe("differs");
});

it("findCause names only causes that happened, with few requests", async () => {
  const amounts = fc.bigInt({ min: -9n, max: 9n });
  const happening = fc.record({
    moved: amounts,
    silent: fc.oneof({ weight: 4, arbitrary: fc.constant(0n) }, amounts),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.bigInt({ min: 0n, max: 3n }),
      fc.array(happening, { minLength: 1, maxLength: 60 }),
      fc.nat(30),
      async (held, happenings, from) => {
        const { difference, history } = made(held, happenings);
        fc.pre(difference.balance !== difference.sum);
        let questions = 0;
        const node = nodeOf(history, from);
        const { kind } = await findCause(difference, (hash) => {
          questions += 1;
          return node(hash);
        });
        expect(questions).toBeLessThanOrEqual(9);
        const silent = happenings.filter((one) => one.silent !== 0n);
        if (kind === "rebasing") expect(silent.some(({ moved }) => moved === 0n)).toBe(true);
        if (kind === "fee_taking")
          expect(silent.some((one) => one.moved !== 0n && one.silent < 0n)).toBe(true);
        if (kind === "pre_history") expect(difference.balance - difference.sum).toBe(held);
        if (silent.length === 0 && from === 0) expect(kind).toBe("pre_history");
      },
    ),
    propertyRun(200),
  );
});
