import { expect } from "vitest";
import type { LedgerEntry } from "../../../src/pipelines/changes/ledger.js";
import { sumOfRows } from "../../../src/pipelines/changes/row-hash.js";
import type { RowValue } from "../../../src/pipelines/changes/rows.js";
import { retryParked } from "../../../src/pipelines/runner/parked-changes.js";
import { openProgram, type Program } from "../../../src/pipelines/runner/program.js";
import { runSink } from "../../../src/pipelines/runner/run-sink.js";
import { sinkTypeOf } from "../../../src/pipelines/sinks/all-sinks.js";
import type { Sink } from "../../../src/pipelines/sinks/sink.js";
import { SinkError } from "../../../src/pipelines/state/sink-error.js";
import { eachSeed, isLawCampaign, lawSeeds } from "./law/each-seed.js";
import { type Played, Schedule } from "./law/schedule.js";
import {
  changingWorld,
  expectedRows,
  firstNamed,
  type LawDefinition,
  type LawPipeline,
  type LawRow,
  lawPipeline,
  lawSources,
  onlySql,
} from "./law-pipeline.js";
import { randomOf } from "./random.js";

/** Rounds of blocks and changes in a schedule. The suite has time for fewer than the campaign. */
const rounds = isLawCampaign ? 8 : 3;

/** Throws a temporary SinkError sometimes, as a connection does that breaks. */
export type Cut = () => void;

/** A sink that is held to the law. */
export interface LawfulSink {
  /** Removes everything that was written. */
  empty(): Promise<void>;
  /** How often `cut` interrupts, from 0 to 1. Less for one that is slow to open, or asks much. */
  readonly cutRate?: number;
  /**
   * Opens the sink as a process that starts does, perhaps after another one was killed.
   * @param cut call it wherever the sink may be interrupted: while it opens, and in the middle of a write
   */
  open(flow: LawPipeline, cut: Cut): Promise<Sink>;
  /** The rows that the sink now holds, in any order. */
  rows(): Promise<readonly LawRow[]>;
  /** All entries of its ledgers, if it keeps them: they add up to the rows. */
  ledger?(): Promise<readonly Pick<LedgerEntry, "rows" | "sum">[]>;
  /** Of a sink that refuses some rows and keeps them aside: from now on it takes every row. */
  heal?(): Promise<void>;
}

/**
 * The law: after any events, a sink that has caught up holds exactly the rows of the query. Each schedule commits and
 * reorganises up to 64 blocks, changes entities several times within a batch, and fails before, in and after writes.
 * @param seeds number of schedules
 * @param definition of a sink that only adds rows
 */
export async function expectLaw(
  subject: LawfulSink,
  seeds = lawSeeds(3),
  definition?: LawDefinition,
): Promise<void> {
  const flow = await lawPipeline(definition);
  const isFinal = sinkTypeOf(flow.sink.definition.type).place === "files";
  let cutReading: Cut = () => undefined;
  const world = definition?.isChanging ? changingWorld(0, () => cutReading()) : onlySql;
  const program = await openProgram(flow.plan, flow.sink, world);
  await eachSeed(seeds, async (seed) => {
    await subject.empty();
    const schedule = new Schedule(seed, isFinal);
    const cutting = new Cutting(seed, subject.cutRate ?? 0.03);
    cutReading = cutting.cut;
    for (let round = 1; round <= rounds; round += 1) {
      schedule.play();
      // The chain goes on while the sink is away, but in the end it catches up.
      const isLeft = (): boolean => round < rounds && cutting.happens(0.3);
      await catchUp(subject, flow, program, schedule, { cut: cutting.cut, isLeft });
    }
    const { chain, feed, reorganisations, deepest } = schedule;
    const expected = expectedRows(chain, feed, isFinal);
    if (subject.heal) await healed(subject, subject.heal, flow, expected);
    await expectRows(subject, expected, seed);
    const { repeating } = feed;
    return { reorganisations, deepest, repeating, kills: 0, recoveries: 0, cuts: cutting.cuts };
  });
  await program.close();
}

/** Expects a sink and its ledger to hold these rows. */
export async function expectRows(
  subject: Pick<LawfulSink, "rows" | "ledger">,
  expected: readonly LawRow[],
  seed: number,
): Promise<void> {
  const rows = await subject.rows();
  expect(sorted(rows.map(firstNamed)), `seed ${seed}`).toEqual(sorted(expected));
  const ledger = await subject.ledger?.();
  // The ledger is that of the names which were written.
  if (ledger) expect(total(ledger), `ledger of seed ${seed}`).toEqual(totalOf(rows));
}

/** Interrupts sometimes, as a seed determines. */
class Cutting {
  cuts = 0;
  readonly #random: () => number;
  readonly #rate: number;

  constructor(seed: number, rate: number) {
    this.#random = randomOf(seed + 1_000_000);
    this.#rate = rate;
  }

  /** @param chance from 0 to 1 */
  happens(chance: number): boolean {
    return this.#random() < chance;
  }

  readonly cut = (): void => {
    if (!this.happens(this.#rate)) return;
    this.cuts += 1;
    throw new SinkError("the test has cut the connection", true);
  };
}

/** Opens a sink and writes all that happened, again and again while the test interrupts it, unless it is left then. */
async function catchUp(
  subject: LawfulSink,
  flow: LawPipeline,
  program: Program,
  played: Played,
  { cut, isLeft }: { readonly cut: Cut; readonly isLeft: () => boolean },
): Promise<void> {
  for (;;) {
    try {
      const sink = await subject.open(flow, cut);
      try {
        const parking = { parks: subject.heal !== undefined, now: () => 1 };
        const options = { signal: new AbortController().signal, onProgress: () => undefined, parking };
        await runSink(flow.sink, interrupted(sink, cut), program, lawSources(flow, played), options);
        return;
      } finally {
        await sink.close();
      }
    } catch (error) {
      if (!(error instanceof SinkError && error.isTemporary)) throw error;
      if (isLeft()) return;
    }
  }
}

/** Only parked rows are missing; once the sink accepts every row, they are written. */
async function healed(
  subject: LawfulSink,
  heal: () => Promise<void>,
  flow: LawPipeline,
  expected: readonly LawRow[],
): Promise<void> {
  const sink = await subject.open(flow, () => undefined);
  try {
    await expectOnlyParkedMissing(sink, await subject.rows(), expected);
    await heal();
    const { left } = await retryParked(sink, flow.sink.schema, { isChosen: () => true, now: () => 2 });
    expect(left).toEqual([]);
  } finally {
    await sink.close();
  }
}

/** Expects rows of a sink that refuses some: parked rows are the only ones that may differ, and there are some. */
export async function expectOnlyParkedMissing(
  sink: Sink,
  rows: readonly LawRow[],
  expected: readonly LawRow[],
): Promise<void> {
  const parked = new Set((sink.parked ?? []).map(({ row }) => row.columns[0]?.[0]));
  const others = (all: readonly LawRow[]): readonly LawRow[] => all.filter(({ id }) => !parked.has(id));
  expect(parked.size).toBeGreaterThan(0);
  expect(sorted(others(rows))).toEqual(sorted(others(expected)));
}

/** A sink that is interrupted before writes and after them. */
function interrupted(sink: Sink, cut: Cut): Sink {
  return {
    positions: sink.positions,
    ...(sink.unfinished && { unfinished: sink.unfinished }),
    ...(sink.failure && { failure: sink.failure }),
    ...(sink.parked && { parked: sink.parked }),
    write: async (batch) => {
      cut();
      await sink.write(batch);
      cut();
    },
    ...(sink.storedWriting && {
      storedWriting: {
        limits: sink.storedWriting.limits,
        write: async (batch, onSlower) => {
          cut();
          const isWritten = await sink.storedWriting?.write(batch, onSlower);
          cut();
          return isWritten === true;
        },
      },
    }),
    end: async (source, next) => sink.end?.(source, next),
    close: () => sink.close(),
  };
}

function total(entries: readonly Pick<LedgerEntry, "rows" | "sum">[]): Pick<LedgerEntry, "rows" | "sum"> {
  return {
    rows: entries.reduce((sum, entry) => sum + entry.rows, 0),
    sum: BigInt.asUintN(
      128,
      entries.reduce((sum, entry) => sum + entry.sum, 0n),
    ),
  };
}

function totalOf(rows: readonly LawRow[]): Pick<LedgerEntry, "rows" | "sum"> {
  const columns: readonly (readonly RowValue[])[] = [
    rows.map(({ id }) => id),
    rows.map(({ who }) => who),
    rows.map(({ amount }) => amount),
    rows.map(({ block_number: block }) => BigInt(block)),
  ];
  return { rows: rows.length, sum: sumOfRows({ count: rows.length, columns }) };
}

function sorted(rows: readonly LawRow[]): readonly string[] {
  const texts = rows.map(({ id, who, amount, block_number: block }) =>
    JSON.stringify([id, who, amount, block]),
  );
  return texts.sort();
}
