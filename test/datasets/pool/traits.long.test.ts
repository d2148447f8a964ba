import { describe, expect, it } from "vitest";
import type { VerifyMode } from "../../../src/runtime/indexer/logs/verification.js";
import { MemoryArchiveFiles } from "../../support/archive/memory-files.js";
import type { ChainTraits } from "../../support/pool/block-tree.js";
import { Pool } from "../../support/pool/pool.js";
import { extractFromPool } from "./pool-extraction.js";
import { PoolTruth } from "./pool-truth.js";

const calm = { seed: 7, length: 22, busy: 0.6, disturbance: 0, lag: 0, change: 0, final: 16 };
/** With rows of each kind to hide. */
const hiding = { ...calm, length: 32, final: 26, hides: 0.1 };
const modes: readonly VerifyMode[] = ["off", "bloom", "receipts"];
const chains: readonly (readonly [name: string, ChainTraits])[] = [
  ["null rounds", { nullRounds: 0.3 }],
  ["null rounds between most blocks", { nullRounds: 0.8 }],
  ["null rounds, and headers of its own", { nullRounds: 0.3, ownHashes: true, byTransaction: true }],
  ["logs of no transaction", { outsiders: 0.5 }],
  ["logs of no transaction, and headers of its own", { outsiders: 0.5, ownHashes: true }],
];

describe.each(chains)("on a chain with %s", (_, traits) => {
  it.each(
    modes,
  )("datasets have every row with --verify %s, and again from the archive alone", async (verify) => {
    const pool = (): Pool => new Pool({ ...calm, traits });
    const to = pool().lastUpTo(calm.final);
    const truth = await PoolTruth.of(pool(), to);
    const archive = new MemoryArchiveFiles();
    const faults: string[] = [];
    const asked: string[] = [];
    for (const how of ["directly", "to fill an archive", "from the archive"])
      for (const [name, what] of Object.entries(truth.datasets)) {
        const node = pool();
        const kept = how === "directly" ? {} : { archive };
        const found = await extractFromPool(node, what, { verify, to, blocksPerFile: 6, seed: 1, ...kept });
        for (const fault of truth.faultsOf(name, found, "receipts")) faults.push(`${name} ${how}: ${fault}`);
        if (found.why !== undefined) faults.push(`${name} ${how}: ${found.why}`);
        if (how !== "from the archive") continue;
        for (const [method, times] of node.asked) asked.push(`${name}: ${times} ${method}`);
      }
    expect(faults).toEqual([]);
    expect(asked).toEqual([]);
  });
});

it("rows that all nodes hide are missing only in modes of proof that allow it", async () => {
  const newPool = (): Pool => new Pool(hiding);
  const truth = await PoolTruth.of(newPool(), hiding.final);
  for (const [name, what] of Object.entries(truth.datasets)) {
    const how = { to: hiding.final, blocksPerFile: 10, seed: 1, patience: 60_000 };
    const unproved = await extractFromPool(newPool(), what, { ...how, verify: "off" });
    expect(truth.faultsOf(name, unproved, "off"), name).toEqual([]);
    const proved = await extractFromPool(newPool(), what, { ...how, verify: "receipts" });
    expect(truth.faultsOf(name, proved, "receipts"), name).toEqual([]);
    // The same rows are too few for a proof by receipts.
    if (name === "raw_logs of a contract") expect(truth.faultsOf(name, unproved, "receipts")).not.toEqual([]);
  }
  expect(truth.missed).toBeGreaterThan(0);
});
