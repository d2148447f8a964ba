import { isRecord } from "../../base/text/json-value.js";
import {
  type AuditRequest,
  type AuditWorld,
  auditSink,
  isMended,
  isSound,
  type SinkFindings,
} from "../audit/audit-sink.js";
import { replaySink } from "../audit/replay-sink.js";
import type { PipelinePlan, PlannedSink } from "../plan/pipeline-plan.js";
import type { ParkedOutcome } from "../runner/parked-changes.js";
import { type KeyTexts, parkedOf, settleParkedOf, waitingOf } from "../runner/parked-of-sinks.js";
import type { BlockRange } from "../sinks/audit.js";
import type { SinkWorld } from "../sinks/opening.js";
import { keyTexts, type ParkedDocument, parkedDocument } from "../sinks/parking/parked-document.js";
import { keyIndexes, type ParkedChange } from "../state/parked-change.js";
import { SinkError } from "../state/sink-error.js";
import { type SinkDocument, sinkDocument } from "./findings-document.js";
import { knownError } from "./known-error.js";

/** Texts of a key's values, by column. */
export type KeyGiven = Readonly<Record<string, string>>;

/**
 * A task on the state of a pipeline's sinks. All but `verify` and `parked` write: no other process may write
 * meanwhile.
 */
export type PipelineTask =
  /** Compares sources, ledgers and sinks. @see auditSink */
  | { readonly kind: "verify"; readonly sink?: string; readonly range?: BlockRange }
  /** Repairs the differences in a sink. */
  | {
      readonly kind: "repair";
      readonly sink: string;
      readonly range?: BlockRange;
      readonly trustsSource: boolean;
      /** Whether a sink whose position the source does not know gets the source's current rows. */
      readonly adopts?: boolean;
    }
  /** Sends rows again. @see replaySink */
  | {
      readonly kind: "replay";
      readonly sink: string;
      readonly range: BlockRange;
      /** Whether it sends them, and does not only count them. */
      readonly sends: boolean;
    }
  /** Lists what sinks keep aside. */
  | { readonly kind: "parked"; readonly sink?: string }
  /** Writes parked changes as far as the sinks accept them: all, or the changes of one key. */
  | { readonly kind: "retry"; readonly sink?: string; readonly key?: KeyGiven }
  /** Drops the changes of a key. */
  | { readonly kind: "drop"; readonly sink: string; readonly key: KeyGiven };

/** Changes of a sink. */
export interface ParkedCount {
  readonly sink: string;
  /** How many there are in total, and the first of them. */
  readonly total: number;
  readonly first: readonly ParkedDocument[];
}

/** The outcome of a task, as a document of bounded size. */
export type PipelineTaskResult =
  | {
      readonly kind: "verify" | "repair";
      /** Whether everything is as it should be, or was mended. */
      readonly agrees: boolean;
      readonly sinks: readonly SinkDocument[];
    }
  | { readonly kind: "replay"; readonly rows: number; readonly overtaken: number; readonly sent: boolean }
  | { readonly kind: "parked"; readonly sinks: readonly ParkedCount[] }
  /** The remaining parked changes by sink, and how many changes were written or dropped. */
  | {
      readonly kind: "retry" | "drop";
      readonly sinks: readonly (ParkedCount & { readonly done: number })[];
    };

/** The most items to report of each kind. */
const most = 100;

/**
 * Runs a task on the sinks of a pipeline.
 * @param onProgress receives the progress as a sentence
 * @param signal no further work begins once it is aborted
 * @throws SinkError, QueryError, RangeUnreadError, and errors of sources; a sink that cannot be compared is a finding
 */
export async function performTask(
  plan: PipelinePlan,
  task: PipelineTask,
  world: AuditWorld,
  onProgress: (text: string) => void,
  signal?: AbortSignal,
): Promise<PipelineTaskResult> {
  const sinks = plan.sinks.filter(({ name }) => task.sink === undefined || task.sink === name);
  const [only] = sinks;
  if (!only) throw new SinkError(`There is no sink ${task.sink ?? ""}.`, false);
  switch (task.kind) {
    case "verify":
    case "repair":
      return audit(plan, sinks, task, world, onProgress, signal);
    case "replay": {
      const { range, sends } = task;
      const onSend = (row: number, rows: number): void =>
        onProgress(`${only.name}: sends rows again, up to row ${row} of ${rows}`);
      const onRange = rangeTeller(only, onProgress);
      const request = { range, onRange, onSend, signal, confirm: async () => sends };
      const { rows, overtaken, isSent } = await replaySink(plan, only, world, request);
      return { kind: "replay", rows, overtaken, sent: isSent };
    }
    case "parked": {
      const found = [];
      for (const sink of sinks) {
        const { changes = [] } = await parkedOf(plan, sink, world);
        found.push(counted(sink, changes));
      }
      return { kind: "parked", sinks: found };
    }
    case "retry":
    case "drop": {
      const keyOf = (sink: PlannedSink): KeyTexts => keyFor(sink, task.key ?? {});
      const settled = await settleParked(plan, sinks, { how: task.kind, keyOf }, world, signal);
      const found = settled.map(([sink, { done, left }]) => ({ ...counted(sink, left), done: done.length }));
      return { kind: task.kind, sinks: found };
    }
  }
}

/**
 * Audits sinks one after the other.
 * @param onProgress receives the progress as a sentence
 * @param signal no further sink is audited once it is aborted
 * @returns what was found about each sink, or why it could not be compared
 */
export async function* auditSinks(
  plan: PipelinePlan,
  sinks: readonly PlannedSink[],
  request: Omit<AuditRequest, "onRange">,
  world: AuditWorld,
  onProgress: (text: string) => void,
  signal?: AbortSignal,
): AsyncGenerator<readonly [PlannedSink, SinkFindings | Error], void, void> {
  for (const sink of sinks) {
    signal?.throwIfAborted();
    const asked = { ...request, onRange: rangeTeller(sink, onProgress) };
    yield [sink, await auditSink(plan, sink, world, asked).catch(knownError)];
  }
}

/** Returns what tells which blocks were read for a sink. */
export function rangeTeller({ name }: PlannedSink, onProgress: (text: string) => void) {
  return (source: string, { to }: BlockRange): void =>
    onProgress(`${name}: read ${source} until block ${to}`);
}

/**
 * Writes or drops parked changes of sinks.
 * @param keyOf returns the key of the changes that are meant; all without columns
 * @param signal no further work begins once it is aborted
 * @returns the outcomes for sinks that have such changes
 * @throws SinkError
 */
export async function settleParked(
  plan: PipelinePlan,
  sinks: readonly PlannedSink[],
  { how, keyOf }: { readonly how: "retry" | "drop"; keyOf(sink: PlannedSink): KeyTexts },
  world: SinkWorld,
  signal?: AbortSignal,
): Promise<readonly (readonly [PlannedSink, ParkedOutcome])[]> {
  const outcomes: [PlannedSink, ParkedOutcome][] = [];
  for (const sink of sinks) {
    const key = keyOf(sink);
    const waiting = await waitingOf(plan, sink, key, world);
    signal?.throwIfAborted();
    // A sink without such changes is not opened.
    if (waiting.length > 0) outcomes.push([sink, await settleParkedOf(plan, sink, how, key, world)]);
  }
  return outcomes;
}

async function audit(
  plan: PipelinePlan,
  sinks: readonly PlannedSink[],
  task: Extract<PipelineTask, { readonly kind: "verify" | "repair" }>,
  world: AuditWorld,
  onProgress: (text: string) => void,
  signal: AbortSignal | undefined,
): Promise<PipelineTaskResult> {
  const mends = task.kind === "repair";
  const adopts = mends && task.adopts === true;
  const trustsSource = mends && (task.trustsSource || adopts);
  const documents: SinkDocument[] = [];
  let agrees = true;
  const request = { range: task.range, mends, trustsSource, adopts, most };
  for await (const [sink, outcome] of auditSinks(plan, sinks, request, world, onProgress, signal)) {
    agrees &&= !(outcome instanceof Error) && (mends ? isMended(outcome) : isSound(outcome));
    documents.push(listedOf(sinkDocument(sink, outcome)));
  }
  return { kind: task.kind, agrees, sinks: documents };
}

/** A document of bounded size, which says what it omits. */
function listedOf(document: SinkDocument): SinkDocument {
  if ("error" in document) return shortened(document, most);
  const cut = [
    ...document.sources.map(({ source, differing }) => [`differing ranges of ${source}`, differing.length]),
    ["changes that are kept aside", document.parked.length],
  ] as const;
  const notes = cut.flatMap(([what, count]) =>
    Number(count) > most ? [`Of ${count} ${what}, only the first ${most} are listed.`] : [],
  );
  return shortened({ ...document, unproved: [...document.unproved, ...notes] }, most + notes.length);
}

function counted(sink: PlannedSink, changes: readonly ParkedChange[]): ParkedCount {
  const first = changes
    .slice(0, most)
    .map((change) => ({ ...parkedDocument(change, sink.schema), key: keyTexts(change, sink.schema) }));
  return { sink: sink.name, total: changes.length, first: shortened(first, most) };
}

/** @throws SinkError for a column that is not of the sink's key */
function keyFor({ name, schema }: PlannedSink, key: KeyGiven): KeyTexts {
  const columns = keyIndexes(schema).map((index) => schema.columns[index]?.name ?? "");
  const wrong = Object.keys(key).find((column) => !columns.includes(column));
  if (wrong === undefined) return new Map(Object.entries(key));
  throw new SinkError(`${wrong} is not of the key of sink ${name}. The key is ${columns.join(", ")}.`, false);
}

/** The most characters of a text. */
const longest = 1_000;

/**
 * A value for a document of bounded size: long lists and long texts are truncated.
 * @param most the most items of a list
 */
export function shortened<Value>(value: Value, most: number): Value {
  return cut(value, most) as Value;
}

function cut(value: unknown, most: number): unknown {
  if (typeof value === "string")
    return value.length > longest ? `${value.slice(0, longest)}… (${value.length} characters)` : value;
  if (Array.isArray(value)) return value.slice(0, most).map((item) => cut(item, most));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, cut(item, most)]));
}
