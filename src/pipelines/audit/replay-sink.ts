import type { Changes } from "../changes/net-changes.js";
import { noRows, pickRows, type Rows, textOfRow } from "../changes/rows.js";
import { placesOf } from "../changes/source-parts.js";
import type { PipelinePlan, PlannedSink } from "../plan/pipeline-plan.js";
import type { SinkPlace } from "../plan/planned-sink-type.js";
import { checkLineage } from "../runner/kept-lineage.js";
import { openProgram, type Program } from "../runner/program.js";
import { sinkTypeOf } from "../sinks/all-sinks.js";
import type { BlockRange } from "../sinks/audit.js";
import { openSink } from "../sinks/open-sink.js";
import { RowError, type Sink } from "../sinks/sink.js";
import { sinkChanges } from "../sinks/sink-changes.js";
import { keyIndexes } from "../state/parked-change.js";
import { settledBefore, type WrittenPosition } from "../state/sink-batch.js";
import { SinkError } from "../state/sink-error.js";
import type { AuditWorld } from "./audit-sink.js";
import { openRange, openTables } from "./open-range.js";
import { RangeUnreadError } from "./read-range.js";

/** Which rows to send again. */
export interface ReplayRequest {
  /** Blocks of each source that leads to the sink. */
  readonly range: BlockRange;
  /** Called after each range is read. */
  readonly onRange: (source: string, range: BlockRange) => void;
  /** Called before rows are sent, with the last one's number and the total. */
  readonly onSend?: (row: number, rows: number) => void;
  /** Stops sending once it is aborted. */
  readonly signal?: AbortSignal | undefined;
  /** Called before anything is sent. */
  confirm(counts: ReplayCounts): Promise<boolean>;
}

/** Rows of a replay. */
export interface ReplayCounts {
  readonly rows: number;
  /** Rows that a later row or change of the same key has overtaken. They are not sent. */
  readonly overtaken: number;
}

export interface ReplayOutcome extends ReplayCounts {
  /** Whether the rows were sent; not if the user has declined, or if there are none. */
  readonly isSent: boolean;
}

/** The most rows of a replay. They are held in memory until it is known which of them were overtaken. */
const mostRows = 500_000;

/** Why rows of sinks are not sent again. */
const refusals: Partial<Readonly<Record<SinkPlace, string>>> = {
  files: "writes each file once. Mend its files with: graphloom pipeline repair",
  nothing: "keeps nothing",
};

/**
 * Sends the rows of settled blocks to a sink again. Its positions and its ledger stay unchanged. Leaves out rows that
 * later ones have overtaken, so that no old row replaces a new one. No other process may write the sink meanwhile:
 * one of the two fails, as with two runs of a pipeline.
 * @throws SinkError, QueryError, RangeUnreadError, and errors of sources
 */
export async function replaySink(
  plan: PipelinePlan,
  sink: PlannedSink,
  world: AuditWorld,
  request: ReplayRequest,
): Promise<ReplayOutcome> {
  checkType(sink);
  await checkLineage(plan, sink, world);
  const dynamicTables = openTables(plan, world);
  const program = await openProgram(plan, sink, dynamicTables.programWorld);
  try {
    const owner = { flow: plan.name, sources: program.sources.map(({ name }) => name) };
    const writer = await openSink(sink, owner, world);
    try {
      return await new Replay(sink, writer, program, world, request).run();
    } finally {
      await writer.close();
    }
  } finally {
    await program.close();
    await dynamicTables.close();
  }
}

function checkType({ name, definition: { type }, schema }: PlannedSink): void {
  const { place } = sinkTypeOf(type);
  const refusal = refusals[place];
  if (refusal !== undefined) throw new SinkError(`Sink ${name} ${refusal}.`, false);
  if (place === "table" && schema.key.length === 0)
    throw new SinkError(
      `The rows of sink ${name} have no key, so they would be in its table twice. Mend the table with: graphloom pipeline repair`,
      false,
    );
}

/** Rows that were read, and what to do with them. */
interface HeldRows {
  readonly source: string;
  readonly rows: Rows;
  /** By row. */
  readonly isOvertaken: boolean[];
}

class Replay {
  readonly #sink: PlannedSink;
  readonly #writer: Sink;
  readonly #program: Program;
  readonly #world: AuditWorld;
  readonly #request: ReplayRequest;
  readonly #key: readonly number[];
  readonly #held: HeldRows[] = [];
  /** Where the row of each key is that may be sent. */
  readonly #places = new Map<string, { readonly held: HeldRows; readonly row: number }>();
  #count = 0;
  #overtaken = 0;

  constructor(sink: PlannedSink, writer: Sink, program: Program, world: AuditWorld, request: ReplayRequest) {
    this.#sink = sink;
    this.#writer = writer;
    this.#program = program;
    this.#world = world;
    this.#request = request;
    this.#key = keyIndexes(sink.schema);
  }

  async run(): Promise<ReplayOutcome> {
    // Batches that an earlier run has left come first.
    for (const batch of this.#writer.unfinished ?? []) await this.#write(batch);
    const positions = this.#positions();
    const { range, confirm } = this.#request;
    for (const source of positions.keys())
      await this.#read(source, range, (changes) => this.#hold(source, changes));
    if (this.#hasKey && this.#count > 0) {
      for (const [source, position] of positions) await this.#readLater(source, position);
      for (const { row } of this.#writer.parked ?? []) this.#overtake(row);
    }
    const counts = { rows: this.#count - this.#overtaken, overtaken: this.#overtaken };
    if (counts.rows === 0 || !(await confirm(counts))) return { ...counts, isSent: false };
    await this.#send(positions);
    return { ...counts, isSent: true };
  }

  get #hasKey(): boolean {
    return this.#sink.schema.key.length > 0;
  }

  /** The positions of the sources. @throws SinkError if the range may still be undone somewhere */
  #positions(): ReadonlyMap<string, WrittenPosition> {
    const { positions } = this.#writer;
    const { to } = this.#request.range;
    const found = new Map<string, WrittenPosition>();
    for (const { name } of this.#program.sources) {
      if (placesOf(name, positions.keys()).some((place) => place !== name))
        throw new SinkError(
          `Source ${name} is a topic, and its messages are of no blocks: they cannot be replayed by blocks.`,
          false,
        );
      const position = positions.get(name);
      if (!position) throw new SinkError(`Sink ${this.#sink.name} has nothing of source ${name} yet.`, false);
      const settled = settledBefore(position);
      if (to >= settled)
        throw new SinkError(
          `Block ${to} of source ${name} may still be undone, or is not in sink ${this.#sink.name} yet. The last block that can be replayed is ${settled - 1}.`,
          false,
        );
      found.set(name, position);
    }
    return found;
  }

  async #read(source: string, range: BlockRange, take: (changes: Changes) => void): Promise<void> {
    const planned = this.#program.sources.find(({ name }) => name === source);
    const opened = planned && openRange(this.#program, planned, range.to, this.#world);
    if (!opened)
      throw new SinkError(
        `Source ${source} does not keep what it gave, so its rows cannot be replayed.`,
        false,
      );
    let next = range.from;
    for await (const { delta, position, from, to } of opened.batches({ next, open: [] })) {
      take(sinkChanges(await this.#program.apply(source, delta, { from, to }), this.#sink));
      this.#request.onRange(source, { from: next, to: position.next - 1 });
      next = position.next;
      if (next > range.to) return;
    }
    if (next <= range.to)
      throw new RangeUnreadError(
        `Source ${source} ends before ${next}, but the sink has it until ${range.to}.`,
      );
  }

  /** Reads what happened after the range: in settled blocks, and in blocks that may still be undone. */
  async #readLater(source: string, position: WrittenPosition): Promise<void> {
    const later = { from: this.#request.range.to + 1, to: settledBefore(position) - 1 };
    if (later.from <= later.to) await this.#read(source, later, ({ rows }) => this.#overtake(rows));
    for (const { rows } of position.open) this.#overtake(rows);
  }

  #hold(source: string, { operations, rows, overwritten }: Changes): void {
    this.#overtake(rows);
    this.#count += overwritten;
    this.#overtaken += overwritten;
    const kept = pickRows(
      rows,
      operations.flatMap((operation, row) => (operation === "d" ? [] : [row])),
    );
    this.#count += kept.count;
    if (this.#count > mostRows)
      throw new SinkError(
        `The range has more than ${mostRows} rows, which is too many for one replay. Choose fewer blocks.`,
        false,
      );
    const held = { source, rows: kept, isOvertaken: new Array<boolean>(kept.count).fill(false) };
    this.#held.push(held);
    if (!this.#hasKey) return;
    for (let row = 0; row < kept.count; row += 1)
      this.#places.set(textOfRow(kept, row, this.#key), { held, row });
  }

  /** Marks the keys of rows as overtaken. */
  #overtake(rows: Rows): void {
    if (!this.#hasKey || this.#places.size === 0) return;
    for (let row = 0; row < rows.count; row += 1) {
      const key = textOfRow(rows, row, this.#key);
      const place = this.#places.get(key);
      if (!place) continue;
      place.held.isOvertaken[place.row] = true;
      this.#overtaken += 1;
      this.#places.delete(key);
    }
  }

  async #send(positions: ReadonlyMap<string, WrittenPosition>): Promise<void> {
    const { schema } = this.#sink;
    const { onSend, signal } = this.#request;
    let count = 0;
    for (const { source, rows, isOvertaken } of this.#held) {
      const sent = pickRows(
        rows,
        isOvertaken.flatMap((is, row) => (is ? [] : [row])),
      );
      const position = positions.get(source);
      if (sent.count === 0 || !position) continue;
      const operations = Array.from({ length: sent.count }, () => "i" as const);
      signal?.throwIfAborted();
      count += sent.count;
      onSend?.(count, this.#count - this.#overtaken);
      await this.#write({
        source,
        from: position.next,
        to: position.next - 1,
        position,
        ledger: undefined,
        isReplay: true,
        changes: { schema, operations, rows: sent, replaced: noRows(schema.columns.length), overwritten: 0 },
      });
    }
    for (const [source, { next }] of positions) await this.#written(this.#writer.end?.(source, next));
  }

  async #write(batch: Parameters<Sink["write"]>[0]): Promise<void> {
    await this.#written(this.#writer.write(batch));
  }

  async #written(work: Promise<void> | undefined): Promise<void> {
    try {
      await Promise.race([work, ...(this.#writer.failure ? [this.#writer.failure] : [])]);
    } catch (error) {
      if (!(error instanceof RowError)) throw error;
      throw new SinkError(`A row is refused, and what comes after it was not sent: ${error.message}`, false, {
        cause: error,
      });
    }
  }
}
