import type { LedgerEntry } from "../changes/ledger.js";
import { ledgerEntry, uncountedEntry } from "../changes/ledger.js";
import type { Changes } from "../changes/net-changes.js";
import { noRows } from "../changes/rows.js";
import { placesOf } from "../changes/source-parts.js";
import type { PipelinePlan, PlannedSink, PlannedSource } from "../plan/pipeline-plan.js";
import { checkLineage } from "../runner/kept-lineage.js";
import { openProgram, type Program } from "../runner/program.js";
import type {
  AuditedWorld,
  BlockRange,
  RowDifferences,
  SinkAudit,
  SourceStates,
  StoredRows,
} from "../sinks/audit.js";
import { auditorOf } from "../sinks/open-sink.js";
import { sinkChanges } from "../sinks/sink-changes.js";
import type { Source } from "../sources/source.js";
import type { AdoptedContents, SourceContents } from "../sources/source-contents.js";
import type { SqlEngine } from "../sql/engine.js";
import type { ParkedChange } from "../state/parked-change.js";
import { SinkError } from "../state/sink-error.js";
import type { TransformWorld } from "../transforms/opening.js";
import { contentsDiffer, type ReadContents, readContents } from "./contents-reading.js";
import { KeptAside } from "./kept-aside.js";
import { openRange, openTables } from "./open-range.js";
import { readRange } from "./read-range.js";
import { type SettledRange, settledRanges } from "./settled-ranges.js";

/** The outside world of an audit. */
export interface AuditWorld extends AuditedWorld, TransformWorld {
  /** Opens an empty database for SQL. @param isJob whether it has all rows at once */
  openEngine(isJob?: boolean): Promise<SqlEngine>;
  /**
   * Opens a source for final blocks up to the last one, or for changes of a feed.
   * @param part the name of its part, as positions have it; that of the source if it has no parts
   * @returns `undefined` for a source that cannot be read again
   */
  openSource(source: PlannedSource, last: number, part: string): Source | undefined;
  /** Opens the changes that a source without re-reading has delivered to a sink; `undefined` for other sources. */
  openContents(source: PlannedSource, sink: PlannedSink): SourceContents | undefined;
  /** Opens the current rows of such a source for a sink whose position the source does not know. */
  openAdopted(source: PlannedSource, sink: PlannedSink): AdoptedContents | undefined;
}

export interface AuditRequest {
  /** Blocks of the sources, or changes of feeds; all if absent. */
  readonly range?: BlockRange | undefined;
  /** Whether to repair the rows of the sink. */
  readonly mends: boolean;
  /** Whether to trust the source where it differs from the ledger. If not, these ranges are left alone. */
  readonly trustsSource: boolean;
  /**
   * Whether to give a sink whose position the source does not know the source's current rows, so that it can
   * continue. Implies that rows are repaired and that the source is right.
   */
  readonly adopts?: boolean;
  /** The most rows to list one by one. */
  readonly most: number;
  /** Called with every range once it is compared. */
  readonly onRange: (source: string, range: BlockRange) => void;
}

/** A range in which the source differs from the ledger. */
export interface RangeDifference extends BlockRange {
  /** The number of rows in the ledger; `undefined` if it lacks the range. */
  readonly recorded: number | undefined;
  /** The number of rows that the source returns now. */
  readonly found: number;
  /** Whether the sink and the ledger now agree with the source. */
  readonly isMended: boolean;
}

/** The findings about a source. */
export interface SourceFindings {
  readonly source: string;
  /**
   * What was compared: ranges of the source; the rows at the time when the sink read them; some of these rows, but
   * not the ledger; or nothing.
   */
  readonly compared: "ranges" | "rows" | "some rows" | "nothing";
  /** The compared range, widened to whole entries of the ledger; `undefined` for nothing. */
  readonly range: BlockRange | undefined;
  /** Entries of the ledger. */
  readonly ranges: number;
  /** Rows that these ranges have become. */
  readonly rows: number;
  /** Blocks that may still be replaced. The audit compares them with what was written, not with the source. */
  readonly open: number;
  readonly differing: readonly RangeDifference[];
}

/** The findings about a sink. */
export interface SinkFindings {
  readonly sink: string;
  /** Whether it keeps a ledger. */
  readonly isKept: boolean;
  readonly sources: readonly SourceFindings[];
  /** `undefined` if its rows cannot be read back. */
  readonly rows: RowDifferences | undefined;
  /** Whether the audit looked for rows that no source has. */
  readonly isWhole: boolean;
  /** Sentences about what could not be compared. */
  readonly unproved: readonly string[];
  /**
   * Changes that the sink keeps aside, and changes that were dropped. An audit does not report their rows as
   * missing.
   */
  readonly parked: readonly ParkedChange[];
}

/** Whether the sink is correct. Changes dropped by hand are missing on purpose. */
export function isSound({ sources, rows, parked }: SinkFindings): boolean {
  if (parked.some(({ droppedAt }) => droppedAt === undefined)) return false;
  const counts = rows ? [...Object.values(rows.counts), rows.notes.length, rows.strays.length] : [];
  return sources.every(({ differing }) => differing.length === 0) && counts.every((count) => count === 0);
}

/** Whether the audit has repaired everything that it found. */
export function isMended({ sources, rows }: SinkFindings): boolean {
  return (
    sources.every(({ differing }) => differing.every(({ isMended: is }) => is)) && rows?.strays.length === 0
  );
}

/**
 * Compares the current rows of the sources with a sink's ledger, and the sink's rows with the expected rows. Repairs
 * the rows on request. Positions stay unchanged. Rows that another definition computed are not compared.
 * @throws SinkError, QueryError, RangeUnreadError, and errors of sources
 */
export async function auditSink(
  plan: PipelinePlan,
  sink: PlannedSink,
  world: AuditWorld,
  request: AuditRequest,
): Promise<SinkFindings> {
  const auditor = await auditorOf(sink.definition.type);
  if (!auditor)
    return {
      sink: sink.name,
      isKept: false,
      sources: [],
      rows: undefined,
      isWhole: false,
      unproved: [],
      parked: [],
    };
  await checkLineage(plan, sink, world);
  const tables = openTables(plan, world);
  const program = await openProgram(plan, sink, tables.programWorld);
  try {
    const owner = { flow: plan.name, sources: program.sources.map(({ name }) => name) };
    const { mends, most } = request;
    const contents = openContents(program, sink, world, request.adopts === true);
    try {
      const { findings, positions } = await auditor(sink, owner, world, { mends, most }, (audit) =>
        new Auditing(sink, program, { ...world, contents }, request, audit).run(),
      );
      // The rows are written at this point.
      for (const [source, one] of contents) await one.settle?.(positions.get(source) ?? 0);
      const changing = (program.changing ?? []).map(
        (name) =>
          `Rows are computed with what lookup ${name} finds now. Where its table has changed, they differ, though the sink may hold what was written.`,
      );
      return { ...findings, unproved: [...findings.unproved, ...changing] };
    } finally {
      for (const one of contents.values()) await one.end?.();
    }
  } finally {
    await program.close();
    await tables.close();
  }
}

/** The rows of sources that cannot be read again. */
type Contents = ReadonlyMap<string, SourceContents & Partial<AdoptedContents>>;

function openContents(program: Program, sink: PlannedSink, world: AuditWorld, adopts: boolean): Contents {
  const opened = program.sources.flatMap((source) => {
    const contents = adopts ? world.openAdopted(source, sink) : world.openContents(source, sink);
    return contents ? [[source.name, contents] as const] : [];
  });
  return new Map(opened);
}

/** The findings, and the positions that the sink had. */
interface Audited {
  readonly findings: SinkFindings;
  readonly positions: ReadonlyMap<string, number>;
}

/** A compared range. */
interface SeenRange extends SettledRange {
  readonly found: LedgerEntry;
  /**
   * Whether the range is part of the audit. Otherwise it is only read to see what happened to the audited rows later.
   */
  readonly isAudited: boolean;
}

class Auditing {
  readonly #sink: PlannedSink;
  readonly #program: Program;
  readonly #world: AuditWorld;
  readonly #request: AuditRequest;
  readonly #audit: SinkAudit;
  readonly #seen = new Map<string, SeenRange[]>();
  readonly #contents: Contents;
  readonly #read = new Map<string, ReadContents>();
  readonly #unproved: string[] = [];
  /** Sources that cannot be compared. */
  readonly #lost = new Set<string>();
  readonly #aside: KeptAside;

  constructor(
    sink: PlannedSink,
    program: Program,
    world: AuditWorld & { readonly contents: Contents },
    request: AuditRequest,
    audit: SinkAudit,
  ) {
    this.#sink = sink;
    this.#program = program;
    this.#world = world;
    this.#request = request;
    this.#audit = audit;
    this.#contents = world.contents;
    this.#aside = new KeptAside(sink.schema);
  }

  async run(): Promise<Audited> {
    const states = await this.#states();
    const rows = states.size === 0 ? undefined : await this.#audit.rows?.();
    await this.#catchUp(rows, false);
    if (!rows) {
      const kept = await this.#states();
      await this.#readContents(kept, undefined);
      return this.#audited(kept, undefined);
    }
    // If the rows are as they should be, later changes to them need not be read.
    const { range } = this.#request;
    if (range && (await rows.differs())) await this.#catchUp(rows, true);
    await this.#audit.hold();
    const held = await this.#states();
    await this.#readSettled(held, rows, range !== undefined);
    await this.#readContents(held, rows);
    await this.#tellOpen(held, rows);
    await this.#tellAside(held, rows);
    const found = await rows.finish(this.#isWhole);
    if (this.#request.mends && this.#request.trustsSource) await this.#correct(held);
    return this.#audited(held, found);
  }

  /** Whether the audit covered everything that the sink should hold. */
  get #isWhole(): boolean {
    const { range, mends, trustsSource } = this.#request;
    if (this.#lost.size > 0 || [...this.#read.values()].some((read) => !read.isWhole)) return false;
    const differs = this.#differing.length > 0 || [...this.#read.values()].some(contentsDiffer);
    return range === undefined && (!mends || trustsSource || !differs);
  }

  get #differing(): readonly SeenRange[] {
    return [...this.#seen.values()].flat().filter((range) => range.isAudited && differs(range));
  }

  /** Reads until nothing new is found, since the sink may be written meanwhile. */
  async #catchUp(rows: StoredRows | undefined, goesOn: boolean): Promise<void> {
    while (await this.#readSettled(await this.#states(), rows, goesOn));
  }

  /** @param goesOn whether to read ranges after the audited ones @returns whether it found any */
  async #readSettled(states: SourceStates, rows: StoredRows | undefined, goesOn: boolean): Promise<boolean> {
    let isAny = false;
    for (const { source, name } of this.#places(states)) {
      const state = states.get(name);
      if (!state || this.#contents.has(name)) continue;
      const seen = this.#seen.get(name) ?? [];
      this.#seen.set(name, seen);
      for (const settled of settledRanges(state, seen)) {
        const isAudited = overlaps(settled, this.#request.range);
        if (this.#lost.has(name)) break;
        if (!isAudited && !(goesOn && isAfter(settled, this.#request.range))) continue;
        const read = await this.#readOne(source, name, settled, rows, isAudited);
        if (read) seen.push(read);
        else this.#lost.add(name);
        isAny = true;
      }
    }
    return isAny;
  }

  /** The sources, or their parts for sources in parts, by the names that positions have for them. */
  #places(states: SourceStates): readonly { readonly source: PlannedSource; readonly name: string }[] {
    return this.#program.sources.flatMap((source) => {
      const places = placesOf(source.name, states.keys());
      return (places.length === 0 ? [source.name] : places).map((name) => ({ source, name }));
    });
  }

  async #readOne(
    source: PlannedSource,
    place: string,
    settled: SettledRange,
    rows: StoredRows | undefined,
    isAudited: boolean,
  ): Promise<SeenRange | undefined> {
    const { from, to } = settled;
    const opened = openRange(this.#program, source, to, this.#world, place);
    if (!opened) return undefined;
    const entry = source.replaces ? uncountedEntry : ledgerEntry;
    const delta = await readRange(source.name, opened, settled, this.#program);
    const seen = { ...settled, found: entry(from, to, delta), isAudited };
    const changes = sinkChanges(delta, this.#sink);
    const { mends, trustsSource } = this.#request;
    if (!isAudited) await rows?.overtake(this.#aside.without(changes));
    else if (!mends || trustsSource || !differs(seen)) {
      const expected = this.#aside.taken(place, settled, changes);
      await rows?.expect(source.name, settled, expected, !differs(seen), place);
    }
    this.#request.onRange(place, settled);
    return seen;
  }

  /** Reads what sources that cannot be read again have given. The sink is not written meanwhile. */
  async #readContents(states: SourceStates, rows: StoredRows | undefined): Promise<void> {
    const { mends, trustsSource } = this.#request;
    for (const [source, contents] of this.#contents) {
      const state = states.get(source);
      if (!state) continue;
      const obstacle = this.#obstacle;
      if (obstacle !== undefined) {
        this.#unproved.push(obstacle);
        this.#lost.add(source);
        continue;
      }
      const read = (take: (changes: Changes) => Promise<void>): Promise<ReadContents> =>
        readContents(source, contents, state, { program: this.#program, sink: this.#sink }, take);
      const at = { from: state.position.next, to: state.position.next };
      const tell =
        (agrees: boolean) =>
        async (changes: Changes): Promise<void> =>
          rows?.expect(source, at, this.#aside.taken(source, at, changes), agrees);
      // Check against the ledger before repairing anything.
      const found = await read(mends ? async () => undefined : tell(true));
      this.#read.set(source, found);
      const agrees = !contentsDiffer(found);
      if (mends && (trustsSource || agrees)) await read(tell(agrees));
    }
  }

  /** Why rows of an entity cannot be compared. */
  get #obstacle(): string | undefined {
    if (this.#request.range) return "Rows of entities are not of blocks, so --range leaves them out.";
    const { settings } = this.#sink.definition;
    return settings.on_conflict?.value === "nothing"
      ? "With on_conflict: nothing, rows are not those of the entity."
      : undefined;
  }

  /** The sink keeps replaceable blocks with the rows that they became. */
  async #tellOpen(states: SourceStates, rows: StoredRows): Promise<void> {
    const { range } = this.#request;
    for (const [source, { position }] of states)
      for (const { number, rows: plus } of position.open) {
        const block = { from: number, to: number };
        const changes = sinkChanges({ minus: noRows(plus.columns.length), plus }, this.#sink);
        if (overlaps(block, range))
          await rows.expect(source, block, this.#aside.taken(source, block, changes), true);
        else if (isAfter(block, range)) await rows.overtake(this.#aside.without(changes));
      }
  }

  /**
   * Reads the parked changes, after the states, so that they include what the ranges of the states did not
   * write.
   */
  async #states(): Promise<SourceStates> {
    const states = await this.#audit.states();
    this.#aside.update((await this.#audit.parked?.()) ?? []);
    return states;
  }

  /** Reports keys whose parked rows were written after all, and the sink's rows for keys that are still parked. */
  async #tellAside(states: SourceStates, rows: StoredRows): Promise<void> {
    for (const { source, range, changes } of this.#aside.written())
      await rows.expect(this.#sourceOf(source), range, changes, true);
    for (const [source, { position }] of states) {
      const changes = this.#aside.held(source);
      if (changes.rows.count > 0 && !this.#lost.has(source))
        await rows.expect(this.#sourceOf(source), { from: position.next, to: position.next }, changes, true);
    }
  }

  /** The source of a place. */
  #sourceOf(place: string): string {
    return this.#program.sources.find(({ name }) => placesOf(name, [place]).length > 0)?.name ?? place;
  }

  /** Records the source's current rows in the ledger. */
  async #correct(states: SourceStates): Promise<void> {
    for (const [source, read] of this.#read) {
      const first = states.get(source)?.ledger[0];
      const { found, recorded } = read;
      if (!contentsDiffer(read) || !recorded || !first || !("sum" in first)) continue;
      const rows = first.rows + found.rows - recorded.rows;
      const sum = BigInt.asUintN(128, first.sum + found.sum - recorded.sum);
      await this.#audit.correct(source, { ...first, rows, sum });
    }
    for (const [source, seen] of this.#seen)
      for (const { from, to, entry, found, ...range } of seen) {
        if (!range.isAudited || !differs({ from, to, entry, found, ...range })) continue;
        const around = states.get(source)?.ledger.find((one) => one.from <= from && one.to >= to);
        const kept = around && "sum" in around ? around : undefined;
        await this.#audit.correct(source, {
          from: kept?.from ?? from,
          to: kept?.to ?? to,
          rows: (kept?.rows ?? 0) + found.rows - (entry?.rows ?? 0),
          sum: BigInt.asUintN(128, (kept?.sum ?? 0n) + found.sum - (entry?.sum ?? 0n)),
        });
      }
  }

  /** @throws SinkError if the sink was to be adopted and does not hold the rows of the sources */
  #audited(states: SourceStates, rows: RowDifferences | undefined): Audited {
    const findings = this.#findings(states, rows);
    const positions = new Map([...states].map(([source, { position }]) => [source, position.next]));
    const { isWhole, unproved } = findings;
    if (this.#request.adopts && (!rows || !isWhole || rows.strays.length > 0))
      throw cannotAdopt(this.#sink, rows ? unproved : [states.size === 0 ? noPosition : noRowsRead]);
    return { findings, positions };
  }

  #findings(states: SourceStates, rows: RowDifferences | undefined): SinkFindings {
    const sources = this.#places(states).map(({ name }) => {
      const read = this.#read.get(name);
      return read ? this.#contentsFindings(name, read) : this.#rangeFindings(name, states);
    });
    const unproved = [
      ...(this.#audit.unproved ?? []),
      ...this.#unproved,
      ...[...this.#read.values()].flatMap((read) => read.unproved),
    ];
    const { parked } = this.#aside;
    return { sink: this.#sink.name, isKept: true, sources, rows, isWhole: this.#isWhole, unproved, parked };
  }

  #rangeFindings(source: string, states: SourceStates): SourceFindings {
    const seen = (this.#seen.get(source) ?? []).filter(({ isAudited }) => isAudited);
    const open = states.get(source)?.position.open ?? [];
    const [first, last] = [seen[0], seen.at(-1)];
    return {
      source,
      compared: this.#lost.has(source) ? "nothing" : "ranges",
      range: first && last && { from: first.from, to: last.to },
      ranges: seen.length,
      rows: seen.reduce((sum, { found }) => sum + found.rows, 0),
      open: open.filter(({ number }) => overlaps({ from: number, to: number }, this.#request.range)).length,
      differing: seen.filter(differs).map((range) => this.#difference(range.found, range.entry)),
    };
  }

  #contentsFindings(source: string, read: ReadContents): SourceFindings {
    const { found, recorded, entries } = read;
    return {
      source,
      compared: read.isWhole ? "rows" : "some rows",
      range: { from: found.from, to: found.to },
      ranges: entries,
      rows: found.rows,
      open: 0,
      differing: contentsDiffer(read) ? [this.#difference(found, recorded)] : [],
    };
  }

  #difference(found: LedgerEntry, recorded: LedgerEntry | undefined): RangeDifference {
    const { mends, trustsSource } = this.#request;
    const { from, to, rows } = found;
    return { from, to, recorded: recorded?.rows, found: rows, isMended: mends && trustsSource };
  }
}

/** Why a sink without rows to compare cannot be adopted. */
const noRowsRead = "Its rows cannot be read back.";
const noPosition =
  "It has no position: either it was not written yet, or its positions were not restored with its rows.";

function cannotAdopt({ name }: PlannedSink, why: readonly string[]): SinkError {
  const reasons = why.length === 0 ? "Some of its rows could not be mended." : why.join(" ");
  return new SinkError(
    `Sink ${name} cannot be adopted. ${reasons} To begin again, write to another place, or empty this one.`,
    false,
  );
}

function differs({ entry, found }: SeenRange): boolean {
  return entry === undefined || entry.rows !== found.rows || entry.sum !== found.sum;
}

function overlaps({ from, to }: BlockRange, range: BlockRange | undefined): boolean {
  return range === undefined || (from <= range.to && to >= range.from);
}

function isAfter({ from }: BlockRange, range: BlockRange | undefined): boolean {
  return range !== undefined && from > range.to;
}
