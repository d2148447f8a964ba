import { finalityOf } from "../../../chains/finality.js";
import type { Database } from "../../../store/database/database.js";
import type { EntityTable, Layout } from "../../../store/tables/layout.js";
import { FeedCut, TableFollower, type TableStep } from "../../../store/tables/table-follower.js";
import { noRows } from "../../changes/rows.js";
import type { Source, SourceBatch, SourcePosition } from "../source.js";
import { SourceError, UnknownPositionError } from "../source-error.js";
import { type EntitySourceColumn, versionRows } from "./entity-columns.js";
import { versionDelta } from "./entity-delta.js";
import { type PartPlace, type PartPlaces, type ReadingOwner, Readings, readerOf } from "./readings.js";
import { subgraphsUnread } from "./subgraphs-unread.js";

/** The table of an entity in one subgraph. */
export interface EntityPart {
  /** For people: `pools 1.0.0`. */
  readonly label: string;
  /** The IPFS hash of the build. */
  readonly build: string;
  /** The deployment's number. */
  readonly deployment: number;
  /** Whether it stays unindexed until a user resumes it. */
  readonly isPaused: boolean;
  readonly network: string;
  readonly layout: Layout;
  readonly table: EntityTable;
}

/** An entity of one or several subgraphs in a database that is open. */
export interface EntitySourceOptions {
  readonly database: Database;
  readonly owner: ReadingOwner;
  readonly parts: readonly EntityPart[];
  readonly columns: readonly EntitySourceColumn[];
  /** Whether to read the entities that exist at the start. */
  readonly withRows: boolean;
  /** Whether ended versions are rows, too. */
  readonly withHistory: boolean;
  /** Whether to read only final blocks. */
  readonly finalOnly: boolean;
  /** Whether the sink keeps its position, and so continues there. */
  readonly isKept: boolean;
  /** Whether it ends once it has read everything. */
  readonly ends: boolean;
  /** Waits for changes, for a time; false once it is interrupted. */
  wait(): Promise<boolean>;
  /** Says something that people should know. */
  say(text: string): void;
  /** The most changes, and the most rows, of a batch. */
  readonly limit?: number;
}

/** A subgraph that is being read. */
interface OpenPart extends EntityPart {
  readonly follower: TableFollower;
  place: PartPlace;
  failure: string | undefined;
}

/** The progress of a sink's reading. */
interface Reading {
  readonly id: string;
  readonly parts: readonly OpenPart[];
  /** The position that the sink has. */
  position: number;
  /** The least number for the next position. */
  free: number;
  /** Steps since changes were last released. */
  unconfirmed: number;
  /** The sink's position at the last release of changes, and the positions after it, with their meaning. */
  noted: readonly { readonly position: number; readonly parts: PartPlaces }[];
}

/** Release changes after this many steps if more follow immediately, and after this many polls without a result. */
const confirmedAtOnce = 16;
const idleConfirmed = 100;

/** Opens what follows the entity of one subgraph for a reading. */
export function followerOf(
  { deployment, layout, table, network }: EntityPart,
  reading: string,
  {
    database,
    withHistory,
    finalOnly = false,
    limit,
  }: Pick<EntitySourceOptions, "database" | "withHistory"> &
    Partial<Pick<EntitySourceOptions, "finalOnly" | "limit">>,
): TableFollower {
  return new TableFollower({
    database,
    deployment,
    layout,
    table,
    withHistory,
    reader: readerOf(reading),
    ...(finalOnly && { depth: finalityOf(network).depth }),
    ...(limit !== undefined && { limit }),
  });
}

/**
 * The rows of an entity as changes, through reorganisations: the subgraph's feed contains them like other changes.
 * Changes stay there until the sink has written them, however long that takes.
 */
export class EntitySource implements Source {
  readonly #options: EntitySourceOptions;
  readonly #readings: Readings;
  /** The position that the sink has written. */
  #written = -1;
  #reading: Reading | undefined;

  constructor(options: EntitySourceOptions) {
    this.#options = options;
    this.#readings = new Readings(options.database, options.owner);
  }

  confirm(next: number): void {
    this.#written = Math.max(this.#written, next);
  }

  async finish(): Promise<void> {
    if (this.#reading && this.#options.isKept) await this.#tried(this.#confirm(this.#reading));
  }

  async *batches(position: SourcePosition | undefined): AsyncGenerator<SourceBatch, void, void> {
    if (position) this.confirm(position.next);
    for (const { label, isPaused } of this.#options.parts)
      if (isPaused) this.#options.say(`${label} is paused, so it has no changes until it is resumed.`);
    const reading = await this.#tried(position ? this.#resume(position.next) : this.#begin());
    this.#reading = reading;
    try {
      // From here on the sink has a position, so a run that ends before the first change continues here.
      if (!position) yield* this.#batch(reading, undefined, undefined);
      do yield* this.#all(reading);
      while (!this.#options.ends && (await this.#options.wait()));
    } finally {
      if (!this.#options.isKept) await this.#end(reading.id, reading.parts);
    }
  }

  /** Reads all current changes. */
  async *#all(reading: Reading): AsyncGenerator<SourceBatch, void, void> {
    for (let isAll = false; !isAll; ) {
      isAll = true;
      let hasMoved = false;
      for (const part of reading.parts) {
        const before = JSON.stringify(part.place);
        const step = await this.#tried(this.#step(part, reading));
        isAll &&= step.isAll;
        yield* this.#batch(reading, part, step);
        hasMoved ||= JSON.stringify(part.place) !== before;
      }
      reading.unconfirmed += 1;
      const [, later] = reading.noted;
      const hasWritten = later !== undefined && later.position <= this.#written;
      const most = isAll && (hasMoved || hasWritten) ? 1 : isAll ? idleConfirmed : confirmedAtOnce;
      if (reading.unconfirmed >= most) await this.#tried(this.#confirm(reading));
    }
  }

  async #begin(): Promise<Reading> {
    await this.#endAbandoned();
    const { reading, first } = await this.#readings.begin();
    const parts: OpenPart[] = [];
    for (const part of this.#options.parts) parts.push(await this.#beginPart(part, reading));
    return { id: reading, parts, position: first, free: first, unconfirmed: 0, noted: [] };
  }

  async #beginPart(part: EntityPart, reading: string): Promise<OpenPart> {
    const follower = followerOf(part, reading, this.#options);
    const place = await follower.begin(this.#options.withRows);
    return { ...part, follower, place: { ...place, build: part.build }, failure: undefined };
  }

  async #resume(position: number): Promise<Reading> {
    const { sink, source } = this.#options.owner;
    const known = await this.#readings.find(position);
    if (!known)
      throw new UnknownPositionError(
        `The database of the subgraphs does not know how far sink ${sink} has read source ${source}: it is another database, one of the two was restored from a backup, or the reading was ended. To go on with the rows that the sink has, run: graphloom pipeline adopt`,
        position,
      );
    this.#refuseOthers(known.parts);
    const parts: OpenPart[] = [];
    for (const part of this.#options.parts) {
      const place = known.parts.get(part.deployment);
      if (!place) this.#options.say(`${part.label} is new in source ${source}, and begins now.`);
      parts.push(
        place
          ? { ...part, follower: followerOf(part, known.reading, this.#options), place, failure: undefined }
          : await this.#beginPart(part, known.reading),
      );
    }
    const noted = [{ position, parts: placesOf(parts) }];
    return { id: known.reading, parts, position, free: known.free, unconfirmed: 0, noted };
  }

  /** Rows of a build that is no longer read would stay unchanged forever. */
  #refuseOthers(places: PartPlaces): void {
    const { parts, owner } = this.#options;
    for (const [number, { build }] of places) {
      if (parts.some(({ deployment }) => deployment === number)) continue;
      throw new SourceError(
        `Sink ${owner.sink} holds rows of build ${build}, which source ${owner.source} does not read any more: its subgraph was deployed again, deleted, or removed from the definition. ${beginAnew}`,
        false,
      );
    }
  }

  async #step(part: OpenPart, { id, noted }: Reading): Promise<TableStep> {
    try {
      const step = await part.follower.step(part.place);
      if (step.failure !== undefined && step.failure !== part.failure)
        this.#options.say(`${part.label} is not being indexed, so it has no changes: ${step.failure}`);
      part.failure = step.failure;
      return step;
    } catch (error) {
      if (!(error instanceof FeedCut)) throw error;
      const last = noted.at(-1)?.position;
      if (last !== undefined && !(await this.#readings.has(id, last))) throw wentBack();
      throw new SourceError(`${part.label} cannot be followed. ${error.message} ${beginAnew}`, false, {
        cause: error,
      });
    }
  }

  /** The batch of a step, unless it is empty. */
  async *#batch(
    reading: Reading,
    part: OpenPart | undefined,
    step: TableStep | undefined,
  ): AsyncGenerator<SourceBatch, void, void> {
    const nothing = noRows(this.#options.columns.length);
    const delta = part && step ? this.#delta(part, step) : { minus: nothing, plus: nothing };
    const count = delta.minus.count + delta.plus.count;
    const next = reading.free + Math.max(1, count);
    if (part && step) part.place = { ...step.place, build: part.build };
    if (part && count === 0) return;
    const parts = placesOf(reading.parts);
    const before = reading.noted.at(-1)?.position;
    const noted = await this.#tried(this.#readings.note(reading.id, before, next, parts));
    if (noted === "taken") throw this.#anotherRun();
    if (noted === "gone") throw wentBack();
    reading.noted = [...reading.noted, { position: next, parts }];
    yield {
      from: reading.position,
      to: next - 1,
      isUndone: false,
      delta,
      position: { next, open: [] },
      block: step?.block ?? null,
    };
    reading.position = next;
    reading.free = next;
  }

  #delta(part: OpenPart, { changes, versions }: TableStep): SourceBatch["delta"] {
    const { withHistory } = this.#options;
    const { immutable } = part.table;
    const { minus, plus } = versionDelta(changes, { withHistory, immutable, after: part.place.after });
    const { columns } = this.#options;
    return {
      minus: versionRows(columns, part.network, minus),
      plus: versionRows(columns, part.network, [...plus, ...versions]),
    };
  }

  /** Releases the changes that the sink has written. */
  async #confirm(reading: Reading): Promise<void> {
    reading.unconfirmed = 0;
    const reached = reading.noted.findLast(({ position }) => position <= this.#written);
    if (!reached) return;
    // Changes of other tables move the places, too. The position stays, and means the later place.
    const parts = reached === reading.noted.at(-1) ? placesOf(reading.parts) : reached.parts;
    const isThere = await this.#readings.letGo(reading.id, reached.position, parts, async (sql) => {
      for (const { deployment, follower } of reading.parts) {
        const place = parts.get(deployment);
        if (place) await follower.keep(place, sql);
      }
    });
    if (!isThere) throw wentBack();
    reading.noted = reading.noted.filter(({ position }) => position >= reached.position);
  }

  async #endAbandoned(): Promise<void> {
    for (const [reading, deployments] of await this.#readings.abandoned()) {
      const ended = this.#options.parts.filter(({ deployment }) => deployments.includes(deployment));
      await this.#end(
        reading,
        ended.map((part) => ({ follower: followerOf(part, reading, this.#options) })),
      );
    }
  }

  async #end(reading: string, parts: readonly Pick<OpenPart, "follower">[]): Promise<void> {
    for (const { follower } of parts) await follower.end();
    await this.#readings.end(reading);
  }

  #anotherRun(): SourceError {
    const { flow, sink } = this.#options.owner;
    return new SourceError(
      `Another run of pipeline ${flow} reads for sink ${sink}. Stop one of them.`,
      false,
    );
  }

  /** @throws SourceError if the database fails */
  async #tried<T>(work: Promise<T>): Promise<T> {
    return work.catch((error: unknown) => {
      throw subgraphsUnread(error);
    });
  }
}

/** The next attempt asks the sink and the database where they are. */
function wentBack(): SourceError {
  return new SourceError(
    "The database of the subgraphs has gone back to an earlier state, as after a failover or a restore, or the reading was ended. The position is read again.",
    true,
  );
}

function placesOf(parts: readonly OpenPart[]): PartPlaces {
  return new Map(parts.map(({ deployment, place }) => [deployment, place]));
}

const beginAnew = "To start over, write to another table, or drop this one.";
