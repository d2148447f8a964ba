import type { ChainTraits } from "./block-tree.js";
import { drawFrom } from "./draw.js";
import { drawLimits } from "./log-limits.js";
import type { PoolOptions } from "./pool.js";

type Badness = Pick<PoolOptions, "disturbance" | "lag" | "cuts" | "liar">;

/** Highest probability of a wrong answer. With more in a campaign, runs may fail with an error, which is acceptable. */
export const disturbance = Number(process.env.GRAPHLOOM_POOL_DISTURBANCE ?? 0.05);

/** The faults of the nodes of a pool, by name. */
export const poolKinds: Readonly<Record<string, Badness>> = {
  disturbed: { disturbance, lag: disturbance },
  "of which a third are behind": { disturbance: disturbance / 10, lag: 0.3 },
  "of which one is short of logs and bloom filters": { disturbance: disturbance / 10, lag: 0, liar: 0.3 },
  "that cut a third of all lists of logs short": { disturbance: disturbance / 10, lag: 0, cuts: 0.3 },
};

/** A pool, and how it is indexed. */
export interface PoolCase {
  readonly options: PoolOptions;
  /** Number of blocks that are added during indexing. */
  readonly more: number;
  readonly verify: "bloom" | "receipts";
}

/** The case of a seed and a kind, which is the same everywhere. */
export function poolCase(seed: number, kind: string): PoolCase {
  const badness = poolKinds[kind];
  if (!badness) throw new Error(`unknown kind of pool: "${kind}"`);
  const draw = drawFrom(seed + 7_000_001);
  const traits = drawTraits(seed, badness);
  const receipts = draw.one([
    ["eth_getBlockReceipts", "eth_getTransactionReceipt"],
    ["eth_getTransactionReceipt"],
    // Without receipts and bloom filters, or where all nodes cut lists short, short lists cannot be detected.
    badness.cuts === undefined && traits.blooms === undefined ? [] : ["eth_getBlockReceipts"],
  ]);
  const shape = drawShape(draw.chance(), draw.one([0.1, 0.1, 0.5, 0.9]), badness);
  const options = {
    seed,
    ...shape,
    ...badness,
    receipts,
    traits,
    ...limitsOf(seed),
  };
  const verify = draw.happens(0.2) ? "receipts" : "bloom";
  // A chain that changed forever could keep a run busy until its time limit.
  return { options: { ...options, change: 0.1, mostChanges: 40 }, more: 8, verify };
}

/** How much the nodes of a seed give in one answer. */
export function limitsOf(seed: number): Pick<PoolOptions, "limits"> {
  const limits = drawLimits(drawFrom(seed + 13_000_001));
  return limits ? { limits } : {};
}

/** How the chain of a seed differs from Ethereum: half of them do not. */
export function drawTraits(seed: number, { liar }: Badness): ChainTraits {
  const draw = drawFrom(seed + 9_000_001);
  if (draw.happens(0.5)) return {};
  const byTransaction = draw.happens(0.4);
  const nullRounds = draw.one([0, 0, 0.2]);
  // Where no hash covers bloom filters, a list that nodes cut short cannot always be detected.
  if (liar !== undefined || draw.happens(0.4)) return { byTransaction, nullRounds };
  const blooms = draw.one(["ones", "random", "empty", "in blocks without logs", "right"] as const);
  return { byTransaction, nullRounds, ownHashes: draw.happens(0.7), ...(blooms !== "right" && { blooms }) };
}

/** Few chains are long enough to have blocks that are not read one by one. */
function drawShape(chance: number, busy: number, { liar }: Badness): Pick<PoolOptions, "length" | "busy"> {
  // A node that leaves logs out of every answer goes unnoticed in blocks that are not read one by one.
  if (chance < 0.015 && liar === undefined) return { length: 330, busy };
  return { length: chance < 0.3 ? 30 : 12, busy: 0.6 };
}

/** The seeds of a test: a number of seeds from the first one on, or from that of a campaign. */
export function seedsOf(count: number): readonly number[] {
  const first = Number(process.env.GRAPHLOOM_POOL_FIRST ?? 1);
  return Array.from({ length: count }, (_, index) => first + index);
}

/** Number of seeds of each kind in a campaign; `undefined` outside of one. */
export const campaign =
  process.env.GRAPHLOOM_POOL_SEEDS === undefined ? undefined : Number(process.env.GRAPHLOOM_POOL_SEEDS);
