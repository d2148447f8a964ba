import { expect } from "vitest";
import { type AuditWorld, auditSink, isSound } from "../../../src/pipelines/audit/audit-sink.js";
import type { PipelinePlan, PlannedSource } from "../../../src/pipelines/plan/pipeline-plan.js";
import { openSink } from "../../../src/pipelines/sinks/open-sink.js";
import { beginAnew, restoreSnapshot } from "../../../src/pipelines/snapshots/go-back.js";
import { readSnapshot } from "../../../src/pipelines/snapshots/pipeline-snapshot.js";
import { takeSnapshot } from "../../../src/pipelines/snapshots/take-snapshot.js";
import type { WrittenBlock } from "../../../src/pipelines/state/sink-batch.js";
import { type Played, playThrough, verifies, writeAll } from "./audited-pipeline.js";
import { type LawPipeline, text } from "./law-pipeline.js";

/** A sink that goes back. */
export interface ReturningSink {
  /** A chain into one sink; see `plainPipeline`. */
  readonly flow: LawPipeline;
  worldOf(played: Played): AuditWorld;
  /** What the sink holds, as its readers see it. */
  content(): Promise<unknown>;
  /** Whether it may also restart from the beginning. */
  readonly mayBeginAnew: boolean;
}

/**
 * Writes a chain, takes a snapshot, goes on, and sets the sink back. Then it must hold what it held, once the rest is written
 * again. If blocks are replaced meanwhile, it must hold the rows of the new ones; so it must after a restart from the beginning.
 */
export async function expectReturn({ flow, worldOf, content, mayBeginAnew }: ReturningSink): Promise<void> {
  const write = async (played: Played): Promise<void> =>
    writeAll(flow, flow.sink, await openSink(flow.sink, flow.owner, worldOf(played)), played);
  const played = await playThrough(5, write, { blocks: 12, rounds: 1 });
  const world = worldOf(played);
  const snapshot = readSnapshot(JSON.parse(JSON.stringify(await takeSnapshot(flow.plan, world))));
  const next = played.chain.blocks.length;
  for (let count = 0; count < 5; count += 1) played.chain.mine();
  played.chain.reorganise(6);
  await write(played);
  const before = await content();
  const said: string[] = [];
  const restore = () => restoreSnapshot(flow.plan, snapshot, world, (text) => said.push(text));
  await restore();
  const [end, settled] = [played.chain.blocks.length, next - played.chain.finality];
  expect(said).toEqual([
    `Sink out goes back from block ${end} to block ${settled} of played: rows from there on are written again`,
  ]);
  await write(played);
  expect(await content()).toEqual(before);
  // Rows that were there when the sink went back are gone if their blocks are replaced before it comes to them again.
  await restore();
  played.chain.reorganise(5);
  await write(played);
  expect(isSound(await auditSink(flow.plan, flow.sink, world, verifies))).toBe(true);
  if (!mayBeginAnew) return;
  await beginAnew(fromStart(flow.plan), world, () => undefined);
  played.chain.reorganise(5);
  await write(played);
  expect(isSound(await auditSink(flow.plan, flow.sink, world, verifies))).toBe(true);
  // A source that starts at the latest block would never tell that open blocks were replaced.
  said.length = 0;
  await beginAnew(flow.plan, world, (text) => said.push(text));
  expect(said[0]).toMatch(/^Sink out has no rows of blocks \d+ to \d+ of played any more/);
  const held = JSON.stringify(await content());
  const isHeld = ({ rows }: WrittenBlock): readonly boolean[] =>
    (rows.columns[0] ?? []).map((id) => held.includes(JSON.stringify(id)));
  const { blocks, finality } = played.chain;
  expect(new Set(blocks.slice(0, -finality).flatMap(isHeld))).toEqual(new Set([true]));
  expect(new Set(blocks.slice(-finality).flatMap(isHeld))).toEqual(new Set([false]));
}

/** The same plan, whose definition says that its sources are read from their start, as played ones always are. */
function fromStart(plan: PipelinePlan): PipelinePlan {
  const settings = { start_at: text("earliest") };
  const sources = plan.sources.map((source) => ({
    ...source,
    definition: { ...source.definition, settings } as PlannedSource["definition"],
  }));
  return { ...plan, sources };
}
