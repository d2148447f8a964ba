import type { VerifyMode } from "../../../src/runtime/indexer/logs/verification.js";
import { disturbance, drawTraits, limitsOf, poolKinds } from "../../support/pool/cases.js";
import { drawFrom } from "../../support/pool/draw.js";
import { Pool, type PoolOptions } from "../../support/pool/pool.js";

/** A pool, and how its datasets are extracted. */
export interface DatasetCase {
  readonly pool: PoolOptions;
  /** The last block, which is final. */
  readonly to: number;
  readonly blocksPerFile: number;
  /** How what is extracted without an archive is proved. */
  readonly direct: VerifyMode;
  /** How the runs are proved that fill one archive, one after another. */
  readonly archived: readonly VerifyMode[];
}

const kinds = {
  ...poolKinds,
  "that hide logs": { disturbance: disturbance / 10, lag: 0, hides: 0.02 },
};

/** The case of a seed, which is the same everywhere. */
export function datasetCase(seed: number): DatasetCase {
  const draw = drawFrom(seed + 9_000_001);
  const [length, busy] = draw.happens(0.02) ? [300, draw.one([0.1, 0.5])] : [draw.one([12, 30]), 0.6];
  const final = length - 2 - draw.below(6);
  const receipts = draw.one([
    ["eth_getBlockReceipts", "eth_getTransactionReceipt"],
    ["eth_getTransactionReceipt"],
    ["eth_getBlockReceipts"],
  ]);
  const badness = draw.one(Object.values(kinds));
  // Without receipts that a header proves, hidden logs go unnoticed.
  const traits = "hides" in badness ? {} : drawTraits(seed, badness);
  const pool = {
    seed,
    length,
    busy,
    ...badness,
    receipts,
    traits,
    ...limitsOf(seed),
    final,
    change: 0.1,
    mostChanges: 40,
  };
  return {
    pool,
    // Of a number without a block it is not final that it has none.
    to: new Pool(pool).lastUpTo(final),
    blocksPerFile: draw.one([length, 7, Math.ceil(length / 2)]),
    direct: draw.one<VerifyMode>(["receipts", "receipts", "bloom", "off"]),
    archived: draw.one<readonly VerifyMode[]>([
      ["receipts"],
      ["off", "receipts"],
      ["bloom"],
      ["off", "bloom"],
    ]),
  };
}
