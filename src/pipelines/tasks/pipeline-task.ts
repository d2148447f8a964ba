import { isRecord } from "../../base/text/json-value.js";
import { type AuditWorld, auditSink, isMended, isSound } from "../audit/audit-sink.js";
import { type ReplayCounts, replaySink } from "../audit/replay-sink.js";
import { rereadMessage } from "../audit/reread-message.js";
import type { PipelinePlan, PlannedSink } from "../plan/pipeline-plan.js";
import { type KeyTexts, parkedOf, settleParkedOf, waitingOf } from "../runner/parked-of-sinks.js";
import type { BlockRange } from "../sinks/audit.js";
import { keyTexts, type ParkedDocument, parkedDocument } from "../sinks/parking/parked-document.js";
import { keyIndexes, type ParkedChange, unreadKey } from "../state/parked-change.js";
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

/** How much a result lists. */
export interface TaskBounds {
  /** The most rows of a sink that differ. */
  readonly rows: number;
  /** The most items of any other list. Long texts are shortened, unless it is infinite. */
  readonly items: number;
}

/** What takes part while a task runs. */
export interface TaskRun {
  /** Receives the progress as a sentence. */
  onProgress(text: string): void;
  /** Receives what was found about each sink as soon as it is known. */
  onSink?(found: SinkDocument): void;
  /** Decides whether counted rows are sent again. By default, the task decides. */
  confirm?(counts: ReplayCounts): Promise<boolean>;
  /** No further work begins once it is aborted. */
  readonly signal?: AbortSignal | undefined;
  /** 100 of each by default. */
  readonly bounds?: TaskBounds;
}

const usualBounds: TaskBounds = { rows: 100, items: 100 };

/** A task on parked changes. It reads topics only, for messages that could not be read. */
type ParkedTask = Extract<PipelineTask, { readonly kind: "parked" | "retry" | "drop" }>;

/**
 * Runs a task on the sinks of a pipeline.
 * @throws SinkError, QueryError, RangeUnreadError, and errors of sources; a sink that cannot be compared is a finding
 */
export async function performTask(
  plan: PipelinePlan,
  task: PipelineTask,
  world: AuditWorld,
  run: TaskRun,
): Promise<PipelineTaskResult> {
  if (isParkedTask(task)) return performParkedTask(plan, task, world, run);
  if (task.kind !== "replay") return audit(plan, task, world, run);
  const { onProgress, signal, confirm = async () => task.sends } = run;
  const [sink] = sinksOf(plan, task);
  const onSend = (row: number, rows: number): void =>
    onProgress(`${sink.name}: sends rows again, up to row ${row} of ${rows}`);
  const request = { range: task.range, onRange: rangeTeller(sink, run), onSend, signal, confirm };
  const { rows, overtaken, isSent } = await replaySink(plan, sink, world, request);
  return { kind: "replay", rows, overtaken, sent: isSent };
}

/** Whether a task is on parked changes. */
export function isParkedTask(task: PipelineTask): task is ParkedTask {
  return task.kind === "parked" || task.kind === "retry" || task.kind === "drop";
}

/**
 * Runs a task on the parked changes of a pipeline.
 * @throws SinkError, QueryError, and errors of topics whose messages are read again
 */
export async function performParkedTask(
  plan: PipelinePlan,
  task: ParkedTask,
  world: AuditWorld,
  { signal, bounds: { items } = usualBounds }: TaskRun,
): Promise<PipelineTaskResult> {
  const sinks = sinksOf(plan, task);
  if (task.kind === "parked") {
    const found = [];
    for (const sink of sinks) found.push(counted(sink, await parkedOf(plan, sink, world), items));
    return { kind: "parked", sinks: found };
  }
  const settled: (ParkedCount & { readonly done: number })[] = [];
  for (const sink of sinks) {
    const key = keyFor(sink, task.key ?? {});
    const waiting = await waitingOf(plan, sink, key, world);
    signal?.throwIfAborted();
    // A sink without such changes is not opened.
    if (waiting.length === 0) continue;
    const reread = (message: ParkedChange) => rereadMessage(plan, sink, message, world);
    const { done, left } = await settleParkedOf(plan, sink, task.kind, key, world, reread);
    settled.push({ ...counted(sink, left, items), done: done.length });
  }
  return { kind: task.kind, sinks: settled };
}

function sinksOf({ sinks }: PipelinePlan, { sink }: PipelineTask): readonly [PlannedSink, ...PlannedSink[]] {
  const [first, ...rest] = sinks.filter(({ name }) => sink === undefined || sink === name);
  if (!first) throw new SinkError(`There is no sink ${sink ?? ""}.`, false);
  return [first, ...rest];
}

/** Returns what tells which blocks were read for a sink. */
function rangeTeller({ name }: PlannedSink, { onProgress }: TaskRun) {
  return (source: string, { to }: BlockRange): void =>
    onProgress(`${name}: read ${source} until block ${to}`);
}

async function audit(
  plan: PipelinePlan,
  task: Extract<PipelineTask, { readonly kind: "verify" | "repair" }>,
  world: AuditWorld,
  run: TaskRun,
): Promise<PipelineTaskResult> {
  const { bounds = usualBounds, onSink, signal } = run;
  const mends = task.kind === "repair";
  const adopts = mends && task.adopts === true;
  const trustsSource = mends && (task.trustsSource || adopts);
  const documents: SinkDocument[] = [];
  let agrees = true;
  for (const sink of sinksOf(plan, task)) {
    signal?.throwIfAborted();
    const onRange = rangeTeller(sink, run);
    const request = { range: task.range, mends, trustsSource, adopts, most: bounds.rows, onRange };
    const outcome = await auditSink(plan, sink, world, request).catch(knownError);
    agrees &&= !(outcome instanceof Error) && (mends ? isMended(outcome) : isSound(outcome));
    const document = listedOf(sinkDocument(sink, outcome), bounds.items);
    onSink?.(document);
    documents.push(document);
  }
  return { kind: task.kind, agrees, sinks: documents };
}

/** A document of bounded size, which says what it omits. */
function listedOf(document: SinkDocument, most: number): SinkDocument {
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

function counted(sink: PlannedSink, changes: readonly ParkedChange[], most: number): ParkedCount {
  const first = changes
    .slice(0, most)
    .map((change) => ({ ...parkedDocument(change, sink.schema), key: keyTexts(change, sink.schema) }));
  return { sink: sink.name, total: changes.length, first: shortened(first, most) };
}

/** @throws SinkError for a column that is not of the sink's key */
function keyFor({ name, schema }: PlannedSink, key: KeyGiven): KeyTexts {
  const columns = keyIndexes(schema).map((index) => schema.columns[index]?.name ?? "");
  const known: readonly string[] = [...columns, ...unreadKey];
  const wrong = Object.keys(key).find((column) => !known.includes(column));
  if (wrong === undefined) return new Map(Object.entries(key));
  throw new SinkError(`${wrong} is not of the key of sink ${name}. The key is ${columns.join(", ")}.`, false);
}

/** The most characters of a text. */
const longest = 1_000;

/**
 * A value for a document of bounded size: long lists and long texts are truncated.
 * @param most the most items of a list; if it is infinite, texts also stay whole
 */
export function shortened<Value>(value: Value, most: number): Value {
  return Number.isFinite(most) ? (cut(value, most) as Value) : value;
}

function cut(value: unknown, most: number): unknown {
  if (typeof value === "string")
    return value.length > longest ? `${value.slice(0, longest)}… (${value.length} characters)` : value;
  if (Array.isArray(value)) return value.slice(0, most).map((item) => cut(item, most));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, cut(item, most)]));
}
