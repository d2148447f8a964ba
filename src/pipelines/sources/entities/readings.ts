import { present } from "../../../base/invariant.js";
import { cell } from "../../../store/database/columns.js";
import { type Database, SQL, type Sql } from "../../../store/database/database.js";
import type { TablePlace } from "../../../store/tables/table-follower.js";

/** The owner of positions. */
export interface ReadingOwner {
  readonly flow: string;
  readonly sink: string;
  readonly source: string;
}

/** A sink's position in the entity of one subgraph. */
export interface PartPlace extends TablePlace {
  /** The IPFS hash of the build. */
  readonly build: string;
}

/** A sink's position in each subgraph, by the number of its deployment. */
export type PartPlaces = ReadonlyMap<number, PartPlace>;

/** A position that a sink has reached, or was about to reach. */
export interface KnownPlace {
  readonly reading: string;
  readonly parts: PartPlaces;
  /**
   * A position beyond all known positions of the reading, and beyond any that it may have had before its database
   * returned to an earlier state.
   */
  readonly free: number;
}

/**
 * The outcome of noting a position: it was noted, another run has noted it, or the reading or the position before it
 * no longer exists.
 */
export type Noted = "noted" | "taken" | "gone";

/**
 * The meaning of sinks' positions, kept in the database of the subgraphs. A sink keeps a position as a number. The
 * numbers of a reading start at the microsecond in which it began. So the position of another reading, of another
 * database or from before a table was dropped, is not mistaken for one of this reading.
 */
export class Readings {
  readonly #database: Database;
  readonly #owner: ReadingOwner;

  constructor(database: Database, owner: ReadingOwner) {
    this.#database = database;
    this.#owner = owner;
  }

  /** Starts a reading. @returns its id, and its first position. @throws DatabaseError */
  async begin(): Promise<{ readonly reading: string; readonly first: number }> {
    const { flow, sink, source } = this.#owner;
    const [row] = await this.#database.query(
      SQL`insert into graphloom.flow_readings (flow, sink, source) values ($1::text, $2::text, $3::text)
        returning id, (extract(epoch from clock_timestamp()) * 1000000)::bigint as first`,
      [flow, sink, source],
    );
    const made = present(row, "an insertion of a reading returned no row");
    return { reading: cell(made, "id"), first: Number(cell(made, "first")) };
  }

  /**
   * The meaning of a position; `undefined` if it does not belong to this owner.
   * @throws DatabaseError
   */
  async find(position: number): Promise<KnownPlace | undefined> {
    const { flow, sink, source } = this.#owner;
    const [row] = await this.#database.query(
      SQL`select r.id, p.parts, greatest((select max(position) from graphloom.flow_places l where l.reading = r.id) + 1,
          (extract(epoch from clock_timestamp()) * 1000000)::bigint) as free
        from graphloom.flow_places p join graphloom.flow_readings r on r.id = p.reading
        where p.position = $4::bigint and r.flow = $1::text and r.sink = $2::text and r.source = $3::text`,
      [flow, sink, source, String(position)],
    );
    return (
      row && {
        reading: cell(row, "id"),
        parts: readParts(cell(row, "parts")),
        free: Number(cell(row, "free")),
      }
    );
  }

  /**
   * Records the meaning of a position, before a sink reaches it.
   * @param before the previous position; absent for the first one of a reading
   * @throws DatabaseError
   */
  async note(
    reading: string,
    before: number | undefined,
    position: number,
    parts: PartPlaces,
  ): Promise<Noted> {
    const rows = await this.#database.query(
      SQL`insert into graphloom.flow_places (reading, position, parts)
        select id, $2::bigint, $3::jsonb from graphloom.flow_readings where id = $1::bigint and ($4::bigint is null
          or exists (select from graphloom.flow_places where reading = $1::bigint and position = $4::bigint))
        on conflict do nothing returning 1`,
      [reading, String(position), partsText(parts), before === undefined ? null : String(before)],
    );
    if (rows.length > 0) return "noted";
    return (await this.has(reading, position)) ? "taken" : "gone";
  }

  /** Whether a position of a reading is known. @throws DatabaseError */
  async has(reading: string, position: number): Promise<boolean> {
    const rows = await this.#database.query(
      SQL`select from graphloom.flow_places where reading = $1::bigint and position = $2::bigint`,
      [reading, String(position)],
    );
    return rows.length > 0;
  }

  /**
   * Releases what a sink has read: the positions and changes before its current position. The position's existence
   * proves that the database has not returned to an earlier state since. If it has, the sink may have, too, and needs
   * the earlier positions and changes.
   * @param parts the end of the position, if it has moved beyond the recorded one: over changes that do not belong to
   * the sink
   * @param keep releases the changes, in the same transaction
   * @returns whether the position exists; if not, nothing was released
   * @throws DatabaseError
   */
  async letGo(
    reading: string,
    position: number,
    parts: PartPlaces,
    keep: (sql: Sql) => Promise<void>,
  ): Promise<boolean> {
    return this.#database.transaction(async (sql) => {
      const rows = await sql.query(
        SQL`update graphloom.flow_places set parts = $3::jsonb
          where reading = $1::bigint and position = $2::bigint returning 1`,
        [reading, String(position), partsText(parts)],
      );
      if (rows.length === 0) return false;
      await sql.query(
        SQL`delete from graphloom.flow_places where reading = $1::bigint and position < $2::bigint`,
        [reading, String(position)],
      );
      await sql.query(SQL`update graphloom.flow_readings set read_at = now() where id = $1::bigint`, [
        reading,
      ]);
      await keep(sql);
      return true;
    });
  }

  /**
   * The readings of this owner that no sink has read for a day, with the numbers of the deployments that keep
   * changes for them: their sinks have started over since.
   * @throws DatabaseError
   */
  async abandoned(): Promise<ReadonlyMap<string, readonly number[]>> {
    const { flow, sink, source } = this.#owner;
    const rows = await this.#database.query(
      SQL`select r.id, (select jsonb_agg(f.deployment) from graphloom.feed_readers f where f.name = 'flow ' || r.id) as deployments
        from graphloom.flow_readings r
        where flow = $1::text and sink = $2::text and source = $3::text and read_at < now() - interval '1 day'`,
      [flow, sink, source],
    );
    return new Map(rows.map((row) => [cell(row, "id"), JSON.parse(row.deployments ?? "[]")]));
  }

  /** Ends a reading, which makes its positions invalid. @throws DatabaseError */
  async end(reading: string): Promise<void> {
    await this.#database.query(SQL`delete from graphloom.flow_readings where id = $1::bigint`, [reading]);
  }
}

/** The name of the reader of a reading in the feeds of its subgraphs. */
export function readerOf(reading: string): string {
  return `flow ${reading}`;
}

function partsText(parts: PartPlaces): string {
  return JSON.stringify(Object.fromEntries(parts));
}

function readParts(text: string): PartPlaces {
  const read = JSON.parse(text) as Readonly<Record<string, PartPlace>>;
  return new Map(Object.entries(read).map(([number, place]) => [Number(number), place]));
}
