import { id } from "ethers";
import { beforeAll, expect, test } from "vitest";
import type { BlockOutcome, StoreValue } from "../../../src/exports/index.js";
import { buildScenario } from "../../compiler/behaviour/harness.js";
import { type PlayOutcome, playBlocks } from "../../compiler/behaviour/play-blocks.js";
import { PlayedBlocks } from "../../compiler/behaviour/played-blocks.js";
import type { ContractCall } from "../../compiler/behaviour/played-contracts.js";
import type { Row, StoreValue as ShadowValue } from "./rows.js";
import { happenings, scenario } from "./scenario.js";
import { ShadowHost, type ShadowOutcome } from "./shadow-host.js";

/** The actions of a host in a block: all writes, contract calls and log lines. */
interface Deeds {
  readonly changes: readonly unknown[];
  readonly calls: readonly ContractCall[];
  readonly created: readonly unknown[];
  readonly lines: readonly unknown[];
}

const numbers: number[] = [];
let ours: PlayOutcome;
let shadows: readonly ShadowOutcome[];
beforeAll(async () => {
  const { files, playable } = await buildScenario(scenario);
  const { built, functions } = playable();
  const blocks = new PlayedBlocks();
  for (const [i, { contracts, happen }] of happenings.entries()) {
    if (i > 0) blocks.endBlock();
    blocks.answerWith(contracts);
    happen(blocks, { transaction: id(`transaction ${i}`) });
    numbers.push(blocks.all.at(-1)?.block.number ?? 0);
  }
  ours = await playBlocks(built, blocks.all, functions);
  const host = new ShadowHost(files);
  shadows = blocks.all.map((block) => host.run(block));
});

test.each(happenings.map(({ name }, i) => [name, i] as const))("both hosts behave the same on %s", (_, i) => {
  const outcome = ours.outcomes[i];
  const shadow = shadows[i];
  if (!outcome || !shadow) throw new Error("a block was not run");
  expect(outcome.handlers).toBeGreaterThan(0);
  const calls = ours.reads.filter(({ block }) => block === numbers[i]).flatMap((batch) => batch.calls);
  expect(deedsOf(outcome, calls)).toEqual(shadowDeeds(shadow));
});

test("the scenarios cover every kind of outcome", () => {
  for (const deed of ["changes", "declared", "calls", "created", "lines"] as const) {
    expect(shadows.flatMap((shadow): readonly unknown[] => shadow[deed])).not.toEqual([]);
  }
});

function deedsOf({ writes, lines }: BlockOutcome, calls: readonly ContractCall[]): Deeds {
  const created = writes.dataSources.map(({ template, address }) => ({ template, address }));
  return { changes: writes.changes, calls, created, lines };
}

const levels = ["critical", "error", "warning", "info", "debug"];

function shadowDeeds({ changes, declared, calls, created, lines }: ShadowOutcome): Deeds {
  return {
    changes: changes.map(({ type, id, row }) => ({ kind: "set", type, id, entity: entityOf(row) })),
    calls: distinct([...declared, ...calls]),
    created,
    lines: lines.map(({ level, message }) => ({ level: levels[level], message })),
  };
}

/** The runtime makes each distinct call once per block. */
function distinct(calls: readonly ContractCall[]): readonly ContractCall[] {
  const text = (value: unknown): unknown => (typeof value === "bigint" ? `${value}n` : value);
  return [...new Map(calls.map((call) => [JSON.stringify(call, (_, value) => text(value)), call])).values()];
}

function entityOf(row: Row): ReadonlyMap<string, unknown> {
  return new Map([...row].map(([name, value]) => [name, runtimeValue(value)]));
}

/** The runtime's form of a value. */
function runtimeValue({ kind, value }: ShadowValue): {
  readonly kind: StoreValue["kind"];
  readonly value: unknown;
} {
  if (kind === "Array") return { kind, value: (value as readonly ShadowValue[]).map(runtimeValue) };
  return { kind: kind === "Boolean" ? "Bool" : kind, value };
}
