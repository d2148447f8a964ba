import { beforeAll, describe, expect, it } from "vitest";
import type { VerifyMode } from "../../../src/runtime/indexer/logs/verification.js";
import type { ChainTraits } from "../../support/pool/block-tree.js";
import { Pool } from "../../support/pool/pool.js";
import { runOnPool } from "./pool-run.js";
import { type PoolSubgraph, poolSubgraphs } from "./pool-subgraphs.js";

let subgraphs: ReadonlyMap<string, PoolSubgraph>;
beforeAll(async () => {
  subgraphs = await poolSubgraphs();
});

const calm = { disturbance: 0, lag: 0, change: 0, busy: 0.6 };
const modes: readonly VerifyMode[] = ["bloom", "receipts", "off"];
const numberings = [false, true];
const blooms = [undefined, "ones", "random", "empty", "in blocks without logs"] as const;
const chains = numberings.flatMap((byTransaction) =>
  blooms.flatMap((bloom) =>
    [false, true].flatMap((ownHashes) =>
      [0, 0.3].map((nullRounds): ChainTraits => {
        const traits = { byTransaction, ownHashes, nullRounds };
        return bloom ? { ...traits, blooms: bloom } : traits;
      }),
    ),
  ),
);

/** The other modes read no bloom filters, so that one kind of wrong ones is enough for them. */
function chainsFor(verify: VerifyMode): readonly ChainTraits[] {
  if (verify === "bloom") return chains;
  return chains.filter(({ blooms: bloom }) => bloom === undefined || bloom === "random");
}

/**
 * Only the default mode trusts settled blocks, which long chains have. Those with null rounds have all else as well, and
 * half of them have every pair of traits.
 */
function isLong({ byTransaction, ownHashes, nullRounds, blooms: bloom }: ChainTraits): boolean {
  const isEven = blooms.indexOf(bloom) % 2 === 0;
  return nullRounds !== 0 && (byTransaction === ownHashes) === isEven;
}

describe.each(["events"])("a subgraph of %s", (name) => {
  describe.each(modes)("with --verify %s", (verify) => {
    it.each(
      chainsFor(verify).map((traits) => [JSON.stringify(traits), traits] as const),
    )("is whole on a chain of %s", async (_, traits) => {
      const subgraph = subgraphs.get(name);
      if (!subgraph) throw new Error(`there is no subgraph of ${name}`);
      for (const length of verify === "bloom" && isLong(traits) ? [14, 300] : [14]) {
        const options = { ...calm, seed: length + 1, length, traits, busy: length > 100 ? 0.1 : 0.6 };
        const pool = new Pool(options);
        expect(await runOnPool(subgraph.built, options, { pool, verify, more: 5 })).toEqual({
          kind: "whole",
        });
      }
    });
  });
});
