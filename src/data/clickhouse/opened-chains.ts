import { isReplacing, type TableMark } from "../../pipelines/sinks/clickhouse/written-places.js";
import type { ClickHouseRow } from "../../pipelines/sinks/clickhouse-server.js";
import type { IndexedChain } from "../reads/data-reads.js";
import { type KeptChains, type KeptPlaces, type Look, listText } from "./kept-chains.js";
import {
  type BlocksSeal,
  endOf,
  headName,
  type Parameters,
  type ReadChain,
  ReplacedRows,
  type VersionedBlock,
} from "./read-chain.js";

/** The most results about tables to remember. */
const mostRemembered = 1_000;

/** The chains of one read, and the proof that everything it has read is from one moment. */
export class OpenedChains {
  readonly #kept: KeptChains;
  readonly #isNew: boolean;
  readonly #opened = new Map<string, Promise<OpenedChain>>();
  #list: Promise<{ readonly chains: readonly IndexedChain[]; readonly isNew: boolean }> | undefined;

  /** @param isNew whether to use no results of earlier reads */
  constructor(kept: KeptChains, isNew: boolean) {
    this.#kept = kept;
    this.#isNew = isNew;
  }

  /** The names of the chains being read. */
  names(): readonly string[] {
    return [...this.#opened.keys()];
  }

  /** All chains that have tables. @throws ClickHouseError */
  async list(): Promise<readonly IndexedChain[]> {
    this.#list ??= this.#kept.list(this.#isNew);
    return (await this.#list).chains;
  }

  /** Opens a chain; repeated calls return the same object. @throws ClickHouseError */
  open(name: string): Promise<OpenedChain> {
    const opened =
      this.#opened.get(name) ??
      this.#kept
        .placesOf(name, this.#isNew)
        .then((kept) => new OpenedChain(name, kept, this.#kept, this.#list !== undefined));
    this.#opened.set(name, opened);
    return opened;
  }

  /** Whether nothing has changed during the read. @throws ClickHouseError */
  async isOneMoment(): Promise<boolean> {
    const list = await this.#list;
    const chains = await Promise.all(this.#opened.values());
    if (!list || list.isNew) {
      const same = await Promise.all(chains.map((chain) => chain.isSame()));
      return same.every((isSame) => isSame);
    }
    const looks = await Promise.all(chains.map((chain) => chain.proof(true)));
    if (looks.some((look) => look === undefined)) return false;
    const text = listText(list.chains);
    if (looks.length > 0) return looks.every((look) => look?.list === text);
    return listText((await this.#kept.list(true)).chains) === text;
  }
}

/** A chain during a read. */
class OpenedChain implements ReadChain {
  readonly name: string;
  readonly places: KeptPlaces["places"];
  readonly #found: KeptPlaces["found"];
  readonly #isNew: boolean;
  readonly #kept: KeptChains;
  readonly #withList: boolean;
  /** A look at the tables during the read. */
  #early: Promise<Look> | undefined;
  /** Whether some rows, read before or after that look, are not proved by it. */
  #isDoubtful = false;
  /** Whether row versions prove nothing. */
  #doubtsAll = false;
  /** Whether rows were read together with the rows that show that the table is unchanged. */
  #isSealed = false;
  #running = 0;

  constructor(name: string, { places, found, isNew }: KeptPlaces, kept: KeptChains, withList: boolean) {
    this.name = name;
    this.places = places;
    this.#found = found;
    this.#isNew = isNew;
    this.#kept = kept;
    this.#withList = withList;
  }

  table: ReadChain["table"] = (category) => this.#kept.table(this.name, category);

  remembered: ReadChain["remembered"] = async <Found>(what: string, find: () => Promise<Found>) => {
    if (this.#found.has(what)) return this.#found.get(what) as Found;
    const found = await find();
    const [oldest] = this.#found.keys();
    if (this.#found.size >= mostRemembered && oldest !== undefined) this.#found.delete(oldest);
    this.#found.set(what, found);
    return found;
  };

  query: ReadChain["query"] = (sql, parameters = {}) => {
    this.#isDoubtful = true;
    return this.#run(sql, parameters);
  };

  versions: ReadChain["versions"] = async (sql, parameters, categoryOf, isSealed = false) => {
    if (this.#doubtsAll) this.#isDoubtful = true;
    else if (isSealed) this.#isSealed = true;
    else if (!this.#isNew && !this.#isDoubtful && !this.#early) this.#look();
    const rows = await this.#run(sql, parameters);
    for (const row of rows)
      if (Number(row.version) > (this.places.get(categoryOf(row))?.committed ?? 0)) throw new ReplacedRows();
    return rows;
  };

  seal(): BlocksSeal | undefined {
    const head = this.#found.get(headName) as VersionedBlock | undefined;
    const place = this.places.get("blocks");
    const end = endOf(this, "blocks");
    if (this.#isNew || this.#doubtsAll || !place || head?.number !== end) return undefined;
    const first = Math.min(end, ...place.open.map(({ number }) => number));
    return {
      sql: "(number >= {seal_first:Int64} AND (number >= {seal_end:Int64} OR version > {seal_version:UInt64}))",
      parameters: { seal_first: first, seal_end: end, seal_version: place.committed },
      check: (live) => {
        const [last, ...later] = live.filter(({ number }) => Number(number) >= end);
        const isSame = last?.hash === head.hash && Number(last.version) === head.version;
        if (!isSame || later.length > 0) throw new ReplacedRows();
      },
    };
  }

  doubt(): void {
    this.#doubtsAll = true;
    this.#isDoubtful = true;
  }

  prove(): void {
    if (this.#running > 0 || (this.#early && !this.#isDoubtful)) return;
    this.#isDoubtful = false;
    this.#look();
  }

  async #run(sql: string, parameters: Parameters): Promise<readonly ClickHouseRow[]> {
    this.#running += 1;
    try {
      return await this.#kept.query(sql, parameters);
    } finally {
      this.#running -= 1;
    }
  }

  #look(): void {
    this.#early = this.#kept.look(this.name, this.#withList);
    // A failure must not count as unhandled if no caller asks for it.
    this.#early.catch(() => undefined);
  }

  /** Whether the tables are unchanged. */
  async isSame(): Promise<boolean> {
    if (this.#isSealed && !this.#isDoubtful && !this.#early) return true;
    return (await this.proof(false)) !== undefined;
  }

  /**
   * A look at the tables that finds no change; `undefined` if it finds one. Results of an earlier read must also
   * still be the newest.
   * @param withList whether to include the list of chains
   */
  async proof(withList: boolean): Promise<Look | undefined> {
    if ([...this.places.values()].some(isReplacing)) return undefined;
    const isEarly = this.#early && !this.#isDoubtful && (this.#withList || !withList);
    const look = await (isEarly ? this.#early : this.#kept.look(this.name, withList));
    const fields: readonly (keyof TableMark)[] = this.#isNew ? ["replaced"] : ["written", "replaced"];
    const isSame = [...this.places].every(([sink, place]) =>
      fields.every((field) => look?.marks.get(sink)?.[field] === place[field]),
    );
    return isSame ? look : undefined;
  }
}
