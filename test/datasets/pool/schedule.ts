import type { DatasetKind } from "../../../src/datasets/tables/dataset.js";
import { drawFrom } from "../../support/pool/draw.js";
import type { PoolOptions } from "../../support/pool/pool.js";

/** Someone who reads a chain through an archive that others share. */
export interface Reader {
  readonly kind: DatasetKind | "subgraph";
  readonly seed: number;
  /** After how many operations on files its process is killed, for each of its lives but the last. */
  readonly deaths: readonly number[];
}

/** A chain that reorganises, and those who read it at the same time. */
export interface Schedule {
  readonly pool: PoolOptions;
  readonly readers: readonly Reader[];
  /** The block at which readers stop. */
  readonly to: number;
}

const kinds = ["raw_blocks", "raw_transactions", "raw_logs", "erc20_transfers", "subgraph"] as const;

/** The schedule of a seed, which is the same everywhere. */
export function scheduleOf(seed: number): Schedule {
  const draw = drawFrom(seed + 11_000_001);
  const finalDistance = draw.one([2, 5, 12, 30]);
  const length = draw.one([3, 10, 40]);
  const count = 1 + draw.below(3);
  const pool: PoolOptions = {
    seed,
    length,
    busy: draw.one([0.2, 0.6, 0.9]),
    final: 0,
    finalDistance,
    deepest: 1 + draw.below(finalDistance),
    change: draw.one([0.05, 0.2, 0.5]),
    mostChanges: 60,
    ...draw.one([
      { disturbance: 0, lag: 0 },
      { disturbance: 0, lag: 0.1 },
      { disturbance: 0, lag: 0.05, stale: 0.05 },
      { disturbance: 0, lag: 0, stale: 0.2 },
      { disturbance: 0.02, lag: 0.02, stale: 0.05 },
    ]),
    ...(draw.happens(0.3) && { receipts: ["eth_getTransactionReceipt"] }),
    traits: { nullRounds: drawFrom(seed + 12_000_001).one([0, 0, 0.3]) },
  };
  const readers = Array.from({ length: count }, (_, index): Reader => {
    const deaths = Array.from({ length: draw.below(3) }, () => 1 + draw.below(40));
    return { kind: draw.one(kinds), seed: seed * 10 + index, deaths };
  });
  return { pool, readers, to: length + 20 + draw.below(60) };
}
