import { thisProcess } from "../../base/lock-holder.js";
import { SQL } from "../../store/database/database.js";
import type { LedgerEntry } from "../changes/ledger.js";
import { lastWrite, type SourceEnd, sourceChange, strangePosition } from "./kept-records.js";
import type { KeptLineage } from "./lineage-guard.js";
import type { ParkedChange } from "./parked-change.js";
import { type Positions, type SinkBatch, settledBefore, type WrittenPosition } from "./sink-batch.js";
import type { SinkError } from "./sink-error.js";
import { type SqlDialect, type SqlStateOwner, stateTables } from "./sql.js";
import { and, equal, insertion, SqlTables } from "./sql-tables.js";

/** What the database holds for a source. */
interface KeptSource extends SourceEnd {
  /** How often its position has been written. */
  readonly version: bigint;
}

/** What the database holds for a source, with its whole ledger. */
export interface SourceState {
  readonly position: WrittenPosition;
  /** Entries in order. */
  readonly ledger: readonly LedgerEntry[];
}

/** No source has this name: it says that the table is the sink's although none has been written. */
const claim = "";

/**
 * How far each source has been written, its ledger, and the changes that were kept aside. They are in the database of the
 * table and are written in the same transaction, so that all of them agree. Blocks that may still be replaced are kept with
 * their rows.
 *
 * Each method runs its statements in the given session and throws what the database throws.
 */
export class SqlState<Session> {
  readonly #dialect: SqlDialect<Session>;
  readonly #owner: SqlStateOwner;
  readonly #tables: SqlTables<Session>;
  readonly #kept = new Map<string, KeptSource>();
  /** What the database holds once the open transaction is committed. */
  readonly #next = new Map<string, KeptSource>();
  /** Sources whose writer is this process. */
  readonly #named = new Set<string>();
  #isClaimed = false;

  constructor(dialect: SqlDialect<Session>, owner: SqlStateOwner) {
    this.#dialect = dialect;
    this.#owner = owner;
    this.#tables = new SqlTables(dialect, owner);
  }

  /** Makes sure that there are tables for the state. */
  async prepare(session: Session): Promise<void> {
    await this.#dialect.prepare(session);
  }

  /** Whether rows of the table are the sink's although no source has been written: their positions were forgotten. */
  get isClaimed(): boolean {
    return this.#isClaimed;
  }

  /** Forgets what was written into a table that stays the sink's. Call it within a transaction. */
  async begin(session: Session): Promise<void> {
    await this.#forgetSources(session);
    await this.#addPosition(session, claim, 0);
  }

  /** Forgets what was written into a table that is gone. Call it within a transaction. */
  async forget(session: Session): Promise<void> {
    await this.#forgetSources(session);
    await this.#tables.deleteFrom(session, "lineages");
  }

  async #forgetSources(session: Session): Promise<void> {
    for (const table of stateTables) if (table !== "lineages") await this.#tables.deleteFrom(session, table);
  }

  /** The lineage that is kept; `undefined` in a database of an earlier version. */
  async lineage(session: Session): Promise<KeptLineage> {
    const { table } = this.#dialect;
    if (!(await this.#dialect.hasTable(session, "lineages"))) return { text: undefined, isWritten: false };
    const [row] = await this.#tables.ask(
      session,
      (
        bind,
      ) => SQL`select (select lineage from ${table("lineages")} where ${this.#tables.own(bind)}) as lineage,
        case when exists (select 1 from ${table("positions")} where ${this.#tables.own(bind)} and source <> '') then 1 else 0 end as written`,
    );
    return { text: row?.lineage ?? undefined, isWritten: row?.written === "1" };
  }

  /** Keeps where rows come from. */
  async keepLineage(session: Session, text: string): Promise<void> {
    await this.#tables.upsert(session, "lineages", (bind) => [
      { key: this.#tables.key(bind), values: [[SQL`lineage`, bind(text)]] },
    ]);
  }

  /** Notes that the sink has made a table. @param table that of the rows by default */
  async made(session: Session, table = this.#owner.table): Promise<void> {
    const place = { ...this.#owner, table };
    await this.#tables.upsert(session, "lineages", (bind) => [
      { key: this.#tables.key(bind, place), values: [this.#dialect.made(place, bind)] },
    ]);
  }

  /** Whether the sink has made a table. @param table that of the rows by default */
  async isMade(session: Session, table = this.#owner.table): Promise<boolean> {
    const place = { ...this.#owner, table };
    const rows = await this.#tables.ask(session, (bind) => {
      const isIt = and([this.#tables.own(bind, place), equal(this.#dialect.made(place, bind))]);
      return SQL`select 1 from ${this.#dialect.table("lineages")} where ${isIt}`;
    });
    return rows.length > 0;
  }

  /** The name of another pipeline that writes the table, too. */
  async otherWriter(session: Session): Promise<string | undefined> {
    const [other] = await this.#tables.ask(
      session,
      (bind) => SQL`select flow from ${this.#dialect.table("positions")}
        where target = ${bind(this.#dialect.target(this.#owner))} and not (${this.#tables.own(bind)}) limit 1`,
    );
    return other?.flow ?? undefined;
  }

  /**
   * The changes that were kept aside, in their order; none where an earlier version has made no table for them.
   * @throws SinkError if one cannot be read
   */
  async parked(session: Session): Promise<readonly ParkedChange[]> {
    if (!(await this.#dialect.hasTable(session, "parked"))) return [];
    return this.#tables.parked(session);
  }

  /** How far each source was written. @throws SinkError if the state cannot be read */
  async read(session: Session): Promise<Positions> {
    const { table, source: name } = this.#dialect;
    const found = await this.#tables.ask(
      session,
      (bind) =>
        SQL`select ${name} as source, next, version from ${table("positions")} where ${this.#tables.own(bind)}`,
    );
    const rows = found.filter(({ source }) => source !== claim);
    this.#isClaimed = rows.length < found.length;
    const blocks = await this.#tables.blocks(session);
    const positions = new Map<string, WrittenPosition>();
    for (const { source: given, next, version } of rows) {
      const source = given ?? "";
      const position = { next: Number(next), open: blocks.get(source) ?? [] };
      const tail = await this.#tables.tail(session, source, settledBefore(position));
      positions.set(source, position);
      this.#kept.set(source, { version: BigInt(version ?? 0), open: position.open, tail });
    }
    return positions;
  }

  /**
   * How far each source was written, with its ledger; empty before the first sink has kept its state. Call it in a transaction that
   * sees one moment.
   * @throws SinkError if the state cannot be read
   */
  async states(session: Session): Promise<ReadonlyMap<string, SourceState>> {
    const states = new Map<string, SourceState>();
    if (!(await this.#dialect.hasTable(session, "ledger"))) return states;
    for (const [source, position] of await this.read(session))
      states.set(source, { position, ledger: await this.ledger(session, source) });
    return states;
  }

  /** Replaces an entry of the ledger, or adds one. */
  async correct(session: Session, source: string, entry: LedgerEntry): Promise<void> {
    await this.#tables.putEntries(session, source, [entry]);
  }

  /** Keeps others from writing positions, and thereby the table, until the transaction ends. */
  async hold(session: Session): Promise<void> {
    await this.#tables.ask(
      session,
      (bind) =>
        SQL`select 1 from ${this.#dialect.table("positions")} where ${this.#tables.own(bind)}${this.#dialect.lock}`,
    );
  }

  /** The whole ledger of a source, in order. */
  async ledger(session: Session, source: string): Promise<readonly LedgerEntry[]> {
    return this.#tables.ledger(session, source);
  }

  /**
   * Keeps the position and the ledger of a source, within the transaction that writes the rows which lead to them. Call
   * `written` once it is committed.
   * @throws SinkError if another run has written the position
   */
  async write(session: Session, batch: Omit<SinkBatch, "changes">): Promise<void> {
    const { source, position, parked, isReturn } = batch;
    const kept = this.#kept.get(source);
    if (!(await this.#writePosition(session, source, position.next, kept?.version)))
      throw await this.#strange(session, source, kept?.version);
    if (!this.#named.has(source)) await this.#writeName(session, source);
    const before = isReturn ? await this.ledger(session, source) : undefined;
    const { blocks, ledger, end } = sourceChange(kept, batch, before);
    await this.#tables.changeBlocks(session, source, blocks);
    await this.#tables.dropEntries(session, source, ledger.drop);
    if (ledger.put.length > 0) await this.#tables.putEntries(session, source, ledger.put);
    if (parked) await this.#tables.changeParked(session, parked);
    this.#next.set(source, { version: (kept?.version ?? -1n) + 1n, ...end });
  }

  /** Notes that the position of a source was committed. */
  written(source: string): void {
    const next = this.#next.get(source);
    if (next) this.#kept.set(source, next);
    this.#named.add(source);
  }

  /** @returns whether the position was as this process has left it */
  #writePosition(
    session: Session,
    source: string,
    next: number,
    version: bigint | undefined,
  ): Promise<boolean> {
    if (version === undefined) return this.#addPosition(session, source, next);
    return this.#dialect.update(
      session,
      (bind) => SQL`update ${this.#dialect.table("positions")} set next = ${next}, version = version + 1
        where ${this.#tables.of(source, bind)} and version = ${this.#dialect.numeral(bind, version)}`,
    );
  }

  #addPosition(session: Session, source: string, next: number): Promise<boolean> {
    return this.#dialect.add(session, (bind) =>
      insertion(this.#dialect.table("positions"), [
        [
          ...this.#tables.key(bind),
          [SQL`source`, bind(source)],
          ...this.#dialect.labels(this.#owner, bind),
          [SQL`next`, SQL`${next}`],
          [SQL`version`, SQL`0`],
        ],
      ]),
    );
  }

  /** Why the position of a source is not as this process has left it. What others have committed meanwhile is read, too. */
  async #strange(session: Session, source: string, ours: bigint | undefined): Promise<SinkError> {
    const { table, since } = this.#dialect;
    const [position] = await this.#tables.ask(
      session,
      (bind) =>
        SQL`select version from ${table("positions")} where ${this.#tables.of(source, bind)}${this.#dialect.lock}`,
    );
    const [writer] = await this.#tables.ask(
      session,
      (bind) =>
        SQL`select process, ${since} as since from ${table("writers")} where ${this.#tables.of(source, bind)}${this.#dialect.lock}`,
    );
    return strangePosition(this.#owner, ours, position && lastWrite({ ...position, ...writer }));
  }

  /** Writes down who writes, for a run that finds the position where it has not left it. */
  async #writeName(session: Session, source: string): Promise<void> {
    const process = JSON.stringify(thisProcess());
    await this.#tables.upsert(session, "writers", (bind) => [
      {
        key: [...this.#tables.key(bind), [SQL`source`, bind(source)]],
        values: [
          [SQL`process`, bind(process)],
          [SQL`since`, this.#dialect.now],
        ],
      },
    ]);
  }
}
