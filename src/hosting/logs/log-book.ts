import { type BackoffTimes, backoff } from "../../base/turns/backoff.js";
import { wait } from "../../base/turns/wait.js";
import type { World } from "../../base/world.js";
import { type Database, DatabaseError, SQL, type Sql } from "../../store/database/database.js";
import { arrayText } from "../../store/database/sql-array.js";
import type { LogLine, LogPage, LogQuery } from "../../store/logs/log-line.js";
import { LogTable, lineArrays } from "../../store/logs/log-table.js";
import { lastLines } from "./last-lines.js";

/** A line of some deployment's log. */
export interface DeploymentLine extends LogLine {
  readonly deployment: string;
}

const logs = new LogTable(SQL`graphloom.log_lines`, [SQL`deployment`]);

/** The number of kept errors and other lines per deployment. */
const kept = 10_000;
/** The number of errors and other lines that may wait to be written. Older ones are dropped first. */
const mostWaiting = 20_000;
/** Milliseconds that lines wait to be written with others. */
const pause = 250;
/** The same while the database does not answer. */
const writeBackoff: BackoffTimes = { first: 500, longest: 16_000 };

/** The logs of deployments. Lines are written in batches. */
export class LogBook {
  readonly #database: Database;
  readonly #world: Pick<World, "now" | "random" | "timeout">;
  readonly #closing = new AbortController();
  #waiting: DeploymentLine[] = [];
  /** The lines written per deployment since its log was trimmed. */
  readonly #addedSinceTrim = new Map<string, number>();
  #writing: Promise<void> | undefined;
  /** The current write; never rejects. */
  #batch: Promise<boolean> = Promise.resolve(true);

  constructor(database: Database, world: Pick<World, "now" | "random" | "timeout">) {
    this.#database = database;
    this.#world = world;
  }

  /** Adds lines, which readers see a moment later. */
  add(lines: readonly DeploymentLine[]): void {
    this.#waiting.push(...lines);
    if (this.#waiting.length > 2 * mostWaiting) this.#waiting = lastLines(this.#waiting, mostWaiting);
    this.#writing ??= this.#writeAll();
  }

  /** Adds a line with the current time. */
  say(deployment: string, level: DeploymentLine["level"], text: string): void {
    this.add([{ deployment, level, text, timestamp: this.#world.now() }]);
  }

  /** @throws DatabaseError */
  read(deployment: string, query: LogQuery): Promise<LogPage> {
    return readLines(this.#database, deployment, query);
  }

  /** The number of deployments whose lines are counted for trimming. */
  get counted(): number {
    return this.#addedSinceTrim.size;
  }

  /** Deletes the log of a deployment. @throws DatabaseError */
  async drop(deployment: string): Promise<void> {
    await this.forget(deployment);
    await this.#database.query(SQL`delete from graphloom.log_lines where deployment = $1::text`, [
      deployment,
    ]);
  }

  /** Drops unwritten lines of a deployment whose log another server has deleted. */
  async forget(deployment: string): Promise<void> {
    this.#waiting = this.#waiting.filter((line) => line.deployment !== deployment);
    await this.#batch;
    this.#addedSinceTrim.delete(deployment);
  }

  /** Writes all waiting lines. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#writing;
  }

  /** Writes until nothing waits. While the database does not answer, lines keep waiting, except at the end. */
  async #writeAll(): Promise<void> {
    let failures = 0;
    while (this.#waiting.length > 0) {
      const milliseconds = failures === 0 ? pause : backoff(failures, writeBackoff, this.#world.random());
      await wait(milliseconds, this.#world, this.#closing.signal);
      const lines = this.#waiting.splice(0, 1_000);
      this.#batch = this.#write(lines);
      if (await this.#batch) failures = 0;
      else if (this.#closing.signal.aborted) break;
      else {
        failures += 1;
        this.#waiting.unshift(...lines);
      }
    }
    this.#writing = undefined;
  }

  /** @returns whether the write succeeded */
  async #write(lines: readonly DeploymentLine[]): Promise<boolean> {
    try {
      await writeLines(this.#database, lines);
      await this.#trim(lines);
      return true;
    } catch (error) {
      if (error instanceof DatabaseError) return false;
      throw error;
    }
  }

  /** Trims now and then, so logs can be slightly longer than the limit. */
  async #trim(lines: readonly DeploymentLine[]): Promise<void> {
    for (const { deployment } of lines) {
      this.#addedSinceTrim.set(deployment, (this.#addedSinceTrim.get(deployment) ?? 0) + 1);
    }
    for (const [deployment, added] of this.#addedSinceTrim) {
      if (added < kept / 20) continue;
      this.#addedSinceTrim.delete(deployment);
      await trimLines(this.#database, deployment, kept);
    }
  }
}

/** Adds lines, in order. @throws DatabaseError */
export async function writeLines(sql: Sql, lines: readonly DeploymentLine[]): Promise<void> {
  if (lines.length === 0) return;
  await sql.query(
    SQL`insert into graphloom.log_lines (deployment, at, level, text)
      select deployment, at, level, text from unnest($1::text[], $2::bigint[], $3::text[], $4::text[])
        with ordinality as l(deployment, at, level, text, n) order by n`,
    [arrayText(lines.map(({ deployment }) => deployment)), ...lineArrays(lines)],
  );
}

/**
 * Deletes all but the last lines of a deployment.
 * @param kept the limits for errors and for other lines
 * @throws DatabaseError
 */
export function trimLines(sql: Sql, deployment: string, kept: number): Promise<void> {
  return logs.trim(sql, [deployment], kept);
}

/** Reads lines of a deployment. @throws DatabaseError */
export function readLines(sql: Sql, deployment: string, query: LogQuery): Promise<LogPage> {
  return logs.read(sql, [deployment], query);
}
