import { expect } from "vitest";
import type { LedgerEntry } from "../../../src/flows/changes/ledger.js";
import { sumOfRows } from "../../../src/flows/changes/row-hash.js";
import type { FlowValue } from "../../../src/flows/changes/rows.js";
import { retryParked } from "../../../src/flows/runner/parked-changes.js";
import { openProgram, type Program } from "../../../src/flows/runner/program.js";
import { runSink } from "../../../src/flows/runner/run-sink.js";
import { type Sink, SinkError } from "../../../src/flows/sinks/sink.js";
import type { Source } from "../../../src/flows/sources/source.js";
import { expectedRows, type LawFlow, type LawRow, lawFlow, onlySql } from "./law-flow.js";
import { feedSource, PlayedFeed } from "./played-feed.js";
import { PlayedChain, playedSource } from "./played-source.js";
import { randomOf } from "./random.js";

/** Number of random schedules: a few, or what the campaign says. */
export const lawSeeds = Number(process.env.GRAPHLOOM_LAW_SEEDS ?? 3);

/** The same for schedules in which the sink refuses rows, which take longer. */
export const poisonSeeds = Number(process.env.GRAPHLOOM_LAW_SEEDS ?? 1);

/** Throws a temporary SinkError sometimes, as a connection does that breaks. */
export type Cut = () => void;

/** A sink that is held to the law. */
export interface LawfulSink {
  /** Whether it takes rows that the SQL engine holds. */
  readonly takesStored?: boolean;
  /** Removes everything that was written. */
  empty(): Promise<void>;
  /**
   * Opens the sink as a process that starts does, perhaps after another one was killed.
   * @param cut call it wherever the sink may be interrupted: while it opens, and in the middle of a write
   */
  open(flow: LawFlow, cut: Cut): Promise<Sink>;
  /** The rows that the sink now holds, in any order. */
  rows(): Promise<readonly LawRow[]>;
  /** All entries of its ledgers, if it keeps them: they add up to the rows. */
  ledger?(): Promise<readonly Pick<LedgerEntry, "rows" | "sum">[]>;
  /** Of a sink that refuses some rows and keeps them aside: from now on it takes every row. */
  heal?(): Promise<void>;
}

/**
 * The law: whatever happens, a sink that has caught up holds exactly the rows of the query. Each schedule commits and
 * reorganises up to 64 blocks, changes entities several times within a batch, and fails before, in and after writes.
 * @param seeds number of schedules
 */
export async function expectLaw(subject: LawfulSink, seeds = lawSeeds): Promise<void> {
  const flow = await lawFlow();
  const program = await openProgram(flow.plan, flow.sink, onlySql);
  for (let seed = 1; seed <= seeds; seed += 1) {
    await subject.empty();
    const random = randomOf(seed);
    const chain = new PlayedChain(random);
    const feed = new PlayedFeed(random);
    // Blocks that are final from the start on come to a sink together.
    if (subject.takesStored && seed % 2 === 1) for (let count = 0; count < 90; count += 1) chain.mine();
    for (let round = 0; round < 8; round += 1) {
      for (let count = Math.floor(random() * 12); count >= 0; count -= 1) chain.mine();
      for (let count = Math.floor(random() * 6); count > 0; count -= 1) feed.change();
      const deepest = random() < 0.2 ? 64 : 8;
      if (random() < 0.6) chain.reorganise(1 + Math.floor(random() * deepest));
      await catchUp(subject, flow, program, { chain, feed, random });
    }
    const expected = expectedRows(chain, feed);
    if (subject.heal) await healed(subject, subject.heal, flow, expected);
    expect(sorted(await subject.rows()), `seed ${seed}`).toEqual(sorted(expected));
    const ledger = await subject.ledger?.();
    if (ledger) expect(total(ledger), `ledger of seed ${seed}`).toEqual(totalOf(expected));
  }
  await program.close();
}

/** What is played to a sink. */
interface Played {
  readonly chain: PlayedChain;
  readonly feed: PlayedFeed;
  readonly random: () => number;
}

/** Opens a sink and writes all that happened, again and again while the test interrupts it. */
async function catchUp(
  subject: LawfulSink,
  flow: LawFlow,
  program: Program,
  { chain, feed, random }: Played,
): Promise<void> {
  const cut = (): void => {
    if (random() < 0.03) throw new SinkError("the test has cut the connection", true);
  };
  for (;;) {
    try {
      const sink = await subject.open(flow, cut);
      try {
        const open = (name: string): Source => (name === "played" ? playedSource(chain) : feedSource(feed));
        const parking = { parks: subject.heal !== undefined, now: () => 1 };
        const options = { signal: new AbortController().signal, onProgress: () => undefined, parking };
        await runSink(flow.sink, interrupted(sink, cut), program, open, options);
        return;
      } finally {
        await sink.close();
      }
    } catch (error) {
      if (!(error instanceof SinkError && error.isTemporary)) throw error;
    }
  }
}

/** What is parked is missing and nothing else; once the sink takes every row, all of it is written. */
async function healed(
  subject: LawfulSink,
  heal: () => Promise<void>,
  flow: LawFlow,
  expected: readonly LawRow[],
): Promise<void> {
  const sink = await subject.open(flow, () => undefined);
  try {
    const parked = new Set((sink.parked ?? []).map(({ row }) => row.columns[0]?.[0]));
    const others = (rows: readonly LawRow[]): readonly LawRow[] => rows.filter(({ id }) => !parked.has(id));
    expect(parked.size).toBeGreaterThan(0);
    expect(sorted(others(await subject.rows()))).toEqual(sorted(others(expected)));
    await heal();
    const { left } = await retryParked(sink, flow.sink.schema, { isChosen: () => true, now: () => 2 });
    expect(left).toEqual([]);
  } finally {
    await sink.close();
  }
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
        write: async (batch) => {
          cut();
          const isWritten = await sink.storedWriting?.write(batch);
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
  const columns: readonly (readonly FlowValue[])[] = [
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
