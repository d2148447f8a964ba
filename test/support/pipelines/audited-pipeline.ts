import { createNodeWorld } from "../../../src/machine/world.js";
import type { AuditRequest, AuditWorld, SinkFindings } from "../../../src/pipelines/audit/audit-sink.js";
import { openTemporaryScratch } from "../../../src/pipelines/machine/temporary-scratch.js";
import type { PipelinePlan, PlannedSink } from "../../../src/pipelines/plan/pipeline-plan.js";
import { openProgram, type ProgramWorld } from "../../../src/pipelines/runner/program.js";
import { runSink } from "../../../src/pipelines/runner/run-sink.js";
import type { Sink } from "../../../src/pipelines/sinks/sink.js";
import type { Source } from "../../../src/pipelines/sources/source.js";
import { type LawPipeline, onlySql, text } from "./law-pipeline.js";
import { feedSource, PlayedFeed } from "./played-feed.js";
import { PlayedChain, playedColumns, playedSource } from "./played-source.js";
import { randomOf } from "./random.js";

/** What is played to a sink that is audited. */
export interface Played {
  readonly chain: PlayedChain;
  readonly feed: PlayedFeed;
}

/** Writes all that happened into a sink, and closes it. */
export async function writeAll(
  flow: LawPipeline,
  sink: PlannedSink,
  writer: Sink,
  played: Played,
  world: ProgramWorld = onlySql,
): Promise<void> {
  const program = await openProgram(flow.plan, sink, world);
  try {
    const options = { signal: new AbortController().signal, onProgress: () => undefined };
    await runSink(sink, writer, program, (name) => sourceOf(name, played), options);
  } finally {
    await program.close();
    await writer.close();
  }
}

function sourceOf(name: string, { chain, feed }: Played, last?: number): Source {
  return name === "played" ? playedSource(chain) : feedSource(feed, last);
}

/** What an audit of the flow needs from outside. @param given what it takes to open the sink */
export function auditWorld(played: Played, given: Partial<AuditWorld>): AuditWorld {
  return {
    ...onlySql,
    clock: createNodeWorld(),
    openContents: () => undefined,
    openAdopted: () => undefined,
    openScratch: openTemporaryScratch,
    openSource: ({ name }, last) => sourceOf(name, played, last),
    ...given,
  } as AuditWorld;
}

/** An audit of everything that changes nothing. */
export const verifies: AuditRequest = {
  mends: false,
  trustsSource: false,
  most: 1_000,
  onRange: () => undefined,
};
/** The same, but it mends. */
export const repairs: AuditRequest = { ...verifies, mends: true };

/**
 * A flow that brings the played chain into a sink as it is.
 * @param key by which rows are written
 */
export function plainPipeline(
  key: readonly string[],
  type: PlannedSink["definition"]["type"],
  settings: object,
): LawPipeline {
  const schema = { columns: playedColumns, key };
  const definition = { type, name: text("out"), settings } as PlannedSink["definition"];
  const sink: PlannedSink = { name: "out", definition, from: "played", schema };
  const source = {
    name: "played",
    definition: { type: "dataset", name: text("played"), settings: {} },
    schema,
  } as const;
  const plan: PipelinePlan = {
    name: "plain",
    job: false,
    transforms: [],
    operations: [],
    functions: [],
    sources: [source],
    sinks: [sink],
  };
  return { plan, sink, owner: { flow: plan.name, sources: ["played"] } };
}

/** A chain and a feed, and how they went on while a sink was written. */
export async function playThrough(
  seed: number,
  write: (played: Played) => Promise<void>,
  { blocks = 30, rounds = 3 }: { readonly blocks?: number; readonly rounds?: number } = {},
): Promise<Played> {
  const random = randomOf(seed);
  const played = { chain: new PlayedChain(random, 8), feed: new PlayedFeed(random) };
  for (let count = 0; count < blocks; count += 1) played.chain.mine();
  for (let round = 0; round < rounds; round += 1) {
    for (let count = 0; count < 4; count += 1) played.feed.change();
    played.chain.reorganise(1 + Math.floor(random() * 8));
    await write(played);
  }
  return played;
}

/** What was found about rows: the kind, the id, and the columns of each. */
export function listed({ rows }: SinkFindings): readonly string[] {
  return (rows?.first ?? [])
    .map(({ kind, key, columns = [] }) => [kind, key.id, ...columns].join(" "))
    .sort();
}
