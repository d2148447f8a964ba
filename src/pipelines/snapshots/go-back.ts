import { present } from "../../base/invariant.js";
import { type LedgerEntry, readLedgerJson } from "../changes/ledger.js";
import { joinRows, noRows } from "../changes/rows.js";
import { placesOf } from "../changes/source-parts.js";
import type { PipelinePlan, PlannedSink } from "../plan/pipeline-plan.js";
import { sourcesOf } from "../runner/program.js";
import { sinkTypeOf } from "../sinks/all-sinks.js";
import type { AuditedWorld } from "../sinks/audit.js";
import { openSink } from "../sinks/open-sink.js";
import type { Sink } from "../sinks/sink.js";
import { sinkChanges } from "../sinks/sink-changes.js";
import { settledBefore, type WrittenPosition } from "../state/sink-batch.js";
import { type PipelineSnapshot, readsOf, SnapshotError } from "./pipeline-snapshot.js";
import { statesOf } from "./take-snapshot.js";

/** Says something that people should know. */
export type Say = (text: string) => void;

/**
 * Sets the sinks of a pipeline, which must not run, back to a snapshot. Later rows are written again. Rows of blocks
 * that may still be replaced are deleted first, since they would remain if these blocks were replaced. A sink or a
 * source that the snapshot does not have, or that is behind the snapshot, continues at its position.
 * @throws SnapshotError before anything is changed; SinkError
 */
export async function restoreSnapshot(
  plan: PipelinePlan,
  snapshot: PipelineSnapshot,
  world: AuditedWorld,
  say: Say,
): Promise<void> {
  const going: PlannedSink[] = [];
  for (const sink of plan.sinks) {
    const states = await statesOf(plan, sink, world);
    if (!states) continue;
    const positions = new Map([...states].map(([source, { position }]) => [source, position]));
    const ways = waysBack(plan, sink, snapshot, positions, say);
    for (const { source, next, isEntity } of ways) refuseReturn(sink, source, next, isEntity);
    if (ways.length > 0) going.push(sink);
  }
  for (const sink of going)
    await writing(plan, sink, world, async (writer, positions) => {
      for (const way of waysBack(plan, sink, snapshot, positions, () => undefined)) {
        const { source, from, next } = way;
        say(
          `Sink ${sink.name} goes back from block ${from.next} to block ${next} of ${source}: rows from there on are written again`,
        );
        await goBack(sink, writer, way);
      }
    });
}

/**
 * Makes the sinks of a pipeline, which must not run, read their sources from the start. Their rows stay, and are
 * overwritten. Rows of blocks that may still be replaced are deleted first: they would remain once their blocks are
 * forgotten.
 * @throws SnapshotError before anything is changed; SinkError
 */
export async function beginAnew(plan: PipelinePlan, world: AuditedWorld, say: Say): Promise<void> {
  const going: PlannedSink[] = [];
  for (const sink of plan.sinks) {
    const states = await statesOf(plan, sink, world);
    if (!states || states.size === 0) continue;
    refuseAnew(sink);
    going.push(sink);
  }
  for (const sink of going)
    await writing(plan, sink, world, async (writer, positions) => {
      for (const { name, definition, entity } of sourcesOf(plan, sink)) {
        const from = positions.get(name);
        const start = definition.settings.start_at?.value;
        const next = from && settledBefore(from);
        if (from === undefined || next === undefined || from.open.length === 0 || entity) continue;
        await goBack(sink, writer, { source: name, from, next });
        const comesAgain = start === "earliest" || (typeof start === "number" && start <= next);
        if (!comesAgain)
          say(
            `Sink ${sink.name} has no rows of blocks ${next} to ${from.next - 1} of ${name} any more: they may still be replaced, and the source starts after them`,
          );
      }
      await writer.forget?.();
      say(
        `Sink ${sink.name} starts over: it reads its sources from their start, and overwrites what it holds`,
      );
    });
}

/** A source of a sink that is set back. */
interface WayBack {
  readonly source: string;
  readonly from: WrittenPosition;
  /** The block to return to. No earlier block can be undone. */
  readonly next: number;
  /** The last entry of the ledger before that. */
  readonly entry?: LedgerEntry | undefined;
}

/** The sources of a sink that are further than a snapshot. */
function waysBack(
  plan: PipelinePlan,
  sink: PlannedSink,
  { sinks }: PipelineSnapshot,
  positions: ReadonlyMap<string, WrittenPosition>,
  say: Say,
): readonly (WayBack & { readonly isEntity: boolean })[] {
  const kept = Object.hasOwn(sinks, sink.name) ? sinks[sink.name] : undefined;
  if (kept?.type !== sink.definition.type) {
    const why = kept ? `was of type ${kept.type} in the snapshot` : "is not in the snapshot";
    say(`Sink ${sink.name} ${why}: it continues where it is, or begins as the definition says`);
    return [];
  }
  const places = sourcesOf(plan, sink).flatMap((planned) => {
    const found = placesOf(planned.name, positions.keys());
    return (found.length === 0 ? [planned.name] : found).map((source) => ({ planned, source }));
  });
  return places.flatMap(({ planned, source }) => {
    const { entity } = planned;
    const from = positions.get(source);
    const then = Object.hasOwn(kept.sources, source) ? kept.sources[source] : undefined;
    if (!from) {
      say(`Source ${source} has not been read for sink ${sink.name}: it begins as the definition says`);
      return [];
    }
    if (then?.reads !== readsOf(planned)) {
      const why = then ? "reads something else than in the snapshot" : "is not in the snapshot";
      say(`Source ${source} of sink ${sink.name} ${why}: it continues where it is`);
      return [];
    }
    if (then.next > from.next)
      say(
        `Sink ${sink.name} is at block ${from.next} of ${source}, before the snapshot's ${then.next}: it continues there`,
      );
    if (then.next >= from.next) return [];
    const entry = then.entry ? present(readLedgerJson(then.entry), "an entry of a snapshot") : undefined;
    return [{ source, from, next: then.settled, entry, isEntity: entity !== undefined }];
  });
}

function refuseReturn(sink: PlannedSink, source: string, next: number, isEntity: boolean): void {
  const { name, schema, definition } = sink;
  const refused = (why: string): SnapshotError =>
    new SnapshotError(
      `The snapshot cannot be restored, since sink ${name} has gone on: ${why}. Continue from last, or start over with none.`,
    );
  if (isEntity)
    throw refused(`changes of the entity that ${source} reads are kept only until a sink has them`);
  const { place } = sinkTypeOf(definition.type);
  if (place === "files")
    throw refused(`its files from block ${next} on are there already, and are not written twice`);
  if (place === "table" && schema.key.length === 0)
    throw refused("its table has no primary_key, so rows from there on would be in it twice");
}

function refuseAnew(sink: PlannedSink): void {
  const { name, schema, definition } = sink;
  const refused = (why: string): SnapshotError =>
    new SnapshotError(
      `Sink ${name} cannot start over: ${why}. Give the sink another place, or continue from last.`,
    );
  const { place } = sinkTypeOf(definition.type);
  if (place === "files") throw refused("its files are there already, and are not written twice");
  if (place === "topic") throw refused("its topic holds the rows, and they would be in it twice");
  if (place === "table" && schema.key.length === 0)
    throw refused("its table has no primary_key, so all rows would be in it twice");
}

/** Opens a sink, and first finishes the batch that was begun. */
export async function writing(
  plan: PipelinePlan,
  sink: PlannedSink,
  world: AuditedWorld,
  work: (writer: Sink, positions: ReadonlyMap<string, WrittenPosition>) => Promise<void>,
): Promise<void> {
  const sources = sourcesOf(plan, sink).map(({ name }) => name);
  const writer = await openSink(sink, { flow: plan.name, sources }, world);
  try {
    const { positions, unfinished = [] } = writer;
    for (const batch of unfinished) await writer.write(batch);
    await work(writer, positions);
  } finally {
    await writer.close();
  }
}

/** Sets a source back, and deletes the rows of later blocks that may still be undone. */
export async function goBack(
  sink: PlannedSink,
  writer: Sink,
  { source, from, next, entry }: WayBack,
): Promise<void> {
  const width = sink.schema.columns.length;
  const gone = joinRows(
    from.open.map(({ rows }) => rows),
    width,
  );
  await writer.write({
    source,
    from: entry?.from ?? next,
    to: next - 1,
    changes: sinkChanges({ minus: gone, plus: noRows(width) }, sink),
    position: { next, open: [] },
    ledger: entry,
    isReturn: true,
  });
  await writer.end?.(source, next);
}
