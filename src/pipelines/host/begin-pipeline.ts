import type { SinkChange } from "../../base/sink-change.js";
import { parseJson } from "../../base/text/json-value.js";
import { messageOf } from "../../base/text/message-of.js";
import { PipelineError } from "../changes/pipeline-error.js";
import type { PipelinePlan } from "../plan/pipeline-plan.js";
import { type ChangeAdvice, changesText, isBarred } from "../runner/guard-lineage.js";
import { sinkTypeOf } from "../sinks/all-sinks.js";
import type { AuditedWorld } from "../sinks/audit.js";
import {
  asWritten,
  type ChangedSink,
  changedSink,
  changedSinks,
  choicesOf,
  continueSink,
  isAway,
  resetSink,
} from "../snapshots/changed-sinks.js";
import { beginAnew, restoreSnapshot, type Say } from "../snapshots/go-back.js";
import { type PipelineSnapshot, readSnapshot, SnapshotError } from "../snapshots/pipeline-snapshot.js";
import { SinkError } from "../state/sink-error.js";

/** What to do about a sink that did not answer when its pipeline began. */
export const changeAdvice: ChangeAdvice = {
  anew: "Apply the definition with --reset to start over, or restore it",
};

/**
 * Sets the sinks of a pipeline, which must not run, to where it begins.
 * @param begins as in an order
 * @throws SinkError, SnapshotError
 */
export async function beginPipeline(
  plan: PipelinePlan,
  begins: string,
  snapshot: () => PipelineSnapshot,
  world: AuditedWorld,
  say: Say,
): Promise<void> {
  const resets = begins === "reset" || begins === "recreate";
  const changed = await changedSinks(plan, world, (error) => begins === "continue" && isAway(error));
  if (begins === "anew") {
    const written = new Map(changed.map((one) => [one.sink.name, asWritten(one)]));
    const sinks = plan.sinks.map((sink) => written.get(sink.name) ?? sink);
    await beginAnew({ ...plan, sinks }, world, say);
    for (const one of changed) await continueSink(plan, one, world, () => undefined);
    return;
  }
  const barred = changed.filter(({ changes }) => isBarred(changes));
  const [first] = barred;
  if (first && !resets && begins !== "settle")
    throw new SinkError(
      `Sink ${first.sink.name} cannot go on. ${changesText(first.changes)}. ${changeAdvice.anew}`,
      false,
    );
  for (const one of changed) {
    say(`Sink ${one.sink.name}: ${changesText(one.changes)}`);
    if (resets || isBarred(one.changes)) {
      await resetSink(plan, one, begins === "recreate", world);
      say(`Sink ${one.sink.name} starts over`);
    } else await continueSink(plan, one, world, say);
  }
  if (!["continue", "settle", "reset", "recreate"].includes(begins))
    await restoreSnapshot(plan, snapshot(), world, say);
}

/** Milliseconds before sinks are asked again that did not answer. */
const beginPause = 5_000;

/** What a beginning waits and tells with. */
export interface BeginHost {
  say(level: "info" | "error", text: string): void;
  sleep(milliseconds: number): Promise<void>;
  /** Called before sinks are asked again: a secret may have been corrected. */
  refresh(): Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Sets the sinks of a pipeline to where it begins, and asks those again that do not answer.
 * @param snapshot as JSON
 * @returns false if it was interrupted @throws PipelineError if they cannot be
 */
export async function beginWhenReady(
  plan: PipelinePlan,
  { begins, snapshot }: { readonly begins: string; readonly snapshot: string | undefined },
  world: AuditedWorld,
  { say, sleep, refresh, signal }: BeginHost,
): Promise<boolean> {
  while (!signal.aborted) {
    try {
      await beginPipeline(
        plan,
        begins,
        () => snapshotOf(snapshot),
        world,
        (text) => say("info", text),
      );
      return true;
    } catch (error) {
      if (!(error instanceof PipelineError && error.isTemporary)) throw error;
      say("error", `The pipeline cannot begin yet: ${error.message}`);
      await sleep(beginPause).catch(() => undefined);
      await refresh();
    }
  }
  return false;
}

function snapshotOf(text: string | undefined): PipelineSnapshot {
  if (text !== undefined) return readSnapshot(parseJson(text));
  throw new SnapshotError("The snapshot is not there any more. Choose another one, or continue from last.");
}

/** Says what happens to each sink when a definition is applied. Writes nothing. */
export async function compareSinks(plan: PipelinePlan, world: AuditedWorld): Promise<readonly SinkChange[]> {
  return Promise.all(
    plan.sinks.map(async (sink): Promise<SinkChange> => {
      const own = { sink: sink.name, type: sink.definition.type };
      try {
        return { ...own, ...changeOf(await changedSink(plan, sink, world)) };
      } catch (error) {
        const reasons = [messageOf(error)];
        return { ...own, change: "unknown", reasons, reset: null, recreate: null, otherwise: null };
      }
    }),
  );
}

function changeOf(changed: ChangedSink): Omit<SinkChange, "sink" | "type"> {
  const { changes, isWritten, sink } = changed;
  const keepsNothing = sinkTypeOf(sink.definition.type).place === "nothing";
  const { continues, resets = null, otherwise = null } = choicesOf(changed, false);
  const ofRows = changes.length === 0 ? "same" : continues ? "continues" : "resets";
  const change = keepsNothing ? "same" : isWritten ? ofRows : "new";
  const recreate = choicesOf(changed, true).resets ?? null;
  return { change, reasons: changes.map(({ text }) => text), reset: resets, recreate, otherwise };
}
