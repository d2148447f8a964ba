import { beforeAll, describe, expect, it } from "vitest";
import { ChainError } from "../../../src/runtime/chain/chain.js";
import type { VerifyMode } from "../../../src/runtime/indexer/logs/verification.js";
import { type RunOutcome, run } from "../../../src/runtime/run-subgraph.js";
import { createSource } from "../../../src/runtime/sources/create-source.js";
import { MemoryStore } from "../../../src/runtime/store/memory-store.js";
import type { BuiltSubgraph } from "../../../src/subgraph/runnable/built-subgraph.js";
import { poolConfigs } from "../../support/pool/contracts.js";
import { drawFrom } from "../../support/pool/draw.js";
import { Pool } from "../../support/pool/pool.js";
import {
  type PlayedKind,
  PlayedPortal,
  type PortalOptions,
  passingFaults,
} from "../../support/portal/played-portal.js";
import { playedWorld } from "../../support/portal/played-world.js";
import { chainOf, differenceOf, everything } from "../pool/pool-run.js";
import { type PoolSubgraph, poolSubgraphs } from "../pool/pool-subgraphs.js";

/** Blocks of a chain, how many of them the Portal does not call final, and the end of a run among settled blocks. */
const length = 390;
const final = 60;
const end = 135;

let subgraphs: ReadonlyMap<string, PoolSubgraph>;
const pools: Pool[] = [];
const clean = new Map<string, Promise<string>>();

beforeAll(async () => {
  subgraphs = await poolSubgraphs();
  for (let seed = 0; seed < 4; seed++) pools.push(poolOf(seed));
});

function poolOf(seed: number): Pool {
  const busy = [0.05, 0.3, 0.9, 0.02][seed % 4] ?? 0.3;
  return new Pool({ seed: 900 + seed, length, busy, disturbance: 0, lag: 0, change: 0 });
}

interface Played {
  readonly portal: PlayedPortal;
  readonly notes: readonly string[];
  readonly outcome: RunOutcome | undefined;
  readonly why: string | undefined;
  readonly found: string;
  readonly expected: string;
  /** Requests to the node, by method. */
  readonly asked: ReadonlyMap<string, number>;
}

/** Runs a subgraph with a played Portal beside a faultless node. */
async function play(
  name: string,
  poolAt: number,
  given: Omit<PortalOptions, "tip" | "final" | "seed"> & { readonly seed?: number },
  verify: VerifyMode = "bloom",
  faults: Parameters<Pool["still"]>[1] = {},
  to = end,
): Promise<Played> {
  const built = subgraphs.get(name)?.built;
  const pool = pools[poolAt % pools.length];
  if (!built || !pool) throw new Error(`there is no subgraph of ${name}`);
  const portal = new PlayedPortal({ seed: 1, final, ...given, tip: pool.tip });
  const node = pool.still(pool.tip.hash, faults);
  const { chain, pause, random } = chainOf(node, portal.options.seed);
  const notes: string[] = [];
  const world = playedWorld(portal);
  const place = { kind: given.kind ?? "portal", url: "http://source.example/datasets/played" };
  const history = createSource(place, world, { onNote: (why) => notes.push(why) });
  const store = new MemoryStore(built.entities);
  let why: string | undefined;
  const outcome = await run(built, chain, store, {
    from: 0,
    to,
    pause,
    random,
    verify,
    chainId: "1",
    history,
    onUnproved: (what) => notes.push(what),
  }).catch((error: unknown) => {
    if (!(error instanceof ChainError)) throw error;
    why = error.message;
    return undefined;
  });
  const key = `${name} ${poolAt % pools.length} ${to}`;
  const known = clean.get(key) ?? withoutSource(built, pool, to);
  clean.set(key, known);
  return {
    portal,
    notes,
    outcome,
    why,
    found: await everything(built, store),
    expected: await known,
    asked: node.asked,
  };
}

/** What a run on the node alone writes. */
async function withoutSource(built: BuiltSubgraph, pool: Pool, to: number): Promise<string> {
  const store = new MemoryStore(built.entities);
  const { chain, pause, random } = chainOf(pool.faultless(pool.tip.hash), 0);
  await run(built, chain, store, { from: 0, to, pause, random });
  return everything(built, store);
}

/** The protocols take turns. */
const kindOf = (turn: number): PlayedKind => (turn % 2 === 0 ? "portal" : "hypersync");

describe.each(Object.keys(poolConfigs))("a source and a node, and a subgraph of %s", (name) => {
  it.each([
    "off",
    "bloom",
    "receipts",
  ] as const)("give the rows of a run on the node alone: --verify %s", async (verify) => {
    for (let pool = 0; pool < pools.length; pool++) {
      const { found, expected, why, notes, portal } = await play(name, pool, { kind: kindOf(pool) }, verify);
      expect(why).toBeUndefined();
      expect(found).toBe(expected);
      expect(notes).toEqual([]);
      expect(portal.asked.length).toBeGreaterThan(0);
    }
  });
});

it.each<PlayedKind>([
  "portal",
  "hypersync",
])("a %s saves the node most requests for blocks and logs", async (kind) => {
  const withSource = await play("events", 1, { kind });
  const pool = pools[1] as Pool;
  const node = pool.faultless(pool.tip.hash);
  const { chain, pause, random } = chainOf(node, 1);
  const built = subgraphs.get("events")?.built;
  if (!built) throw new Error("there is no subgraph of events");
  await run(built, chain, new MemoryStore(built.entities), { from: 0, to: end, pause, random, chainId: "1" });
  const blocks = (asked: ReadonlyMap<string, number>): number => asked.get("eth_getBlockByNumber") ?? 0;
  expect(blocks(withSource.asked)).toBeLessThan(blocks(node.asked));
});

/** A long campaign runs more: GRAPHLOOM_PORTAL_SEEDS=500 GRAPHLOOM_PORTAL_FIRST=5000 npm run campaign:portal */
const seeds = Number(process.env.GRAPHLOOM_PORTAL_SEEDS ?? 100);
const first = Number(process.env.GRAPHLOOM_PORTAL_FIRST ?? 0);

it(`INV-R3: a run is whole, or ends with the reason, whatever the source does: ${seeds} seeds`, async () => {
  const happened = new Map<string, number>();
  const outcomes = { whole: 0, ended: 0 };
  const names = Object.keys(poolConfigs);
  for (let seed = first; seed < first + seeds; seed++) {
    const draw = drawFrom(seed + 77);
    const verify = draw.one(["bloom", "bloom", "receipts"] as const);
    const kind = draw.one(["calm", "disturbed", "disturbed", "omits", "alters", "fork", "lags"]);
    const options = {
      seed,
      kind: kindOf(seed),
      disturbance: kind === "calm" ? 0 : draw.one([0.1, 0.4, 0.9]),
      most: draw.one([7, 100, 100_000]),
      part: draw.one([50, 3_000, 100_000]),
      ...(kind === "omits" && { omits: draw.one([0.02, 0.3]) }),
      // One changed log in a chain can escape a sample, so all are changed where only samples are compared.
      ...(kind === "alters" && { alters: verify === "receipts" ? draw.one([0.02, 0.5]) : 1 }),
      ...(kind === "fork" && { forksAt: 1 + draw.below(end) }),
      ...(kind === "lags" && { lag: draw.below(length), start: draw.below(50) }),
      ...(draw.happens(0.3) && { unknownFields: ["parentBeaconBlockRoot", "requestsHash"] }),
    };
    const name = draw.one(names);
    const faults = draw.happens(0.3)
      ? { seed, ...draw.one([{ disturbance: 0.05 }, { cuts: 0.3 }, { lag: 0.3 }]) }
      : {};
    const { portal, found, expected, why, notes } = await play(name, seed, options, verify, faults);
    for (const [fault, count] of portal.happened) {
      const named = `${fault} (${kindOf(seed)})`;
      happened.set(named, (happened.get(named) ?? 0) + count);
    }
    if (why === undefined) {
      outcomes.whole += 1;
      expect(found === expected ? "" : `seed ${seed} (${kind}): ${differenceOf(expected, found)}`).toBe("");
    } else {
      outcomes.ended += 1;
      expect(why, `seed ${seed}`).toContain(`the source ${kindOf(seed)}=http://source.example`);
      expect(kind, why).toBe("alters");
    }
    for (const note of notes) expect(note).toContain(`the source ${kindOf(seed)}=http://source.example`);
  }
  console.log(outcomes, Object.fromEntries(happened));
  expect([...happened.keys()]).toEqual(
    expect.arrayContaining(
      Object.keys(passingFaults).flatMap((fault) => [`${fault} (portal)`, `${fault} (hypersync)`]),
    ),
  );
}, 100_000_000);
