import { Socket } from "node:net";
import pg from "pg";
import { reportFailure } from "../../../base/failures.js";
import { isRecord, parseJson } from "../../../base/text/json-value.js";
import { visible } from "../../../base/text/visible.js";
import { guarded } from "../../../base/turns/guarded.js";
import { SingleFlight } from "../../../base/turns/single-flight.js";
import type { World } from "../../../base/world.js";
import type { LockWait, SqlText } from "../database.js";
import { databaseErrorOf } from "./postgres-errors.js";

/** Milliseconds between checks of transactions that take long. */
const pause = 100;
/** Milliseconds within which a healthy server answers a check. */
const usualLook = 50;
/** Milliseconds after which to ask the server again who waits for locks. */
const freshness = 1_000;
/** The longest time for a look, in milliseconds. */
const patience = 5_000;

/** A transaction whose waiting is measured. */
export interface WatchedTransaction {
  /** Milliseconds without work since its start, as far as checks of the server show. */
  waited(): number;
  end(): void;
}

interface Watched {
  readonly pid: number;
  waited: number;
  /** Until when waiting is counted, in milliseconds. */
  countedUntil: number;
  /** The share of the time, 0 to 1, that the last look found waiting. */
  waitingPart: number;
}

/**
 * What a process of the server does while it is not working. Reading from a disk and waiting for others' writes count as
 * well: the slower the disk, the less of the time is work. Waiting for its own parallel workers is work, and so are the
 * temporary files of a query that does not fit into memory.
 */
const pausing = "('Lock', 'LWLock', 'BufferPin', 'IO')";

const lookAtPids = `select pid::text from pg_stat_activity
  where pid = any($1::integer[]) and wait_event_type in ${pausing} and wait_event not like 'BufFile%'`;

/**
 * Waits of our role's processes, which may belong to other programs. Our own advisory locks are short or intended.
 */
const lookForLocks = `
  select (extract(epoch from a.query_start) * 1000)::bigint::text as since, t.schema, t.name,
    (select jsonb_agg(jsonb_build_object('pid', b.pid, 'program', b.application_name))::text
      from pg_stat_activity b where b.pid = any(pg_blocking_pids(a.pid))) as holders
  from pg_stat_activity a left join lateral (
    select n.nspname as schema, c.relname as name
    from pg_locks l join pg_class c on c.oid = l.relation join pg_namespace n on n.oid = c.relnamespace
    where l.pid = a.pid and l.database = (select oid from pg_database where datname = current_database())
      and (not l.granted or l.locktype = 'tuple')
    order by l.granted limit 1
  ) t on true
  where a.datname = current_database() and a.usename = current_user and a.wait_event_type = 'Lock'
    and a.wait_event <> 'advisory' and a.query_start < clock_timestamp() - interval '1 second'
  order by a.query_start limit 100`;

/**
 * Samples what the processes of a server do, over a connection that the pool cannot run out of. Opened on first use.
 */
export class BackendWatch {
  readonly #config: pg.ClientConfig;
  readonly #world: Pick<World, "now" | "timeout">;
  readonly #watched = new Set<Watched>();
  readonly #flight = new SingleFlight<readonly LockWait[]>();
  #client: Promise<pg.Client> | undefined;
  #isTicking = false;
  /** When the unanswered look began. */
  #askedAt: number | undefined;
  #locks: { readonly at: number; readonly waits: readonly LockWait[] } | undefined;
  #isClosed = false;

  constructor(config: pg.ClientConfig, world: Pick<World, "now" | "timeout">) {
    this.#config = config;
    this.#world = world;
  }

  /** @param pid the id of the server's process */
  watch(pid: number): WatchedTransaction {
    const one: Watched = { pid, waited: 0, countedUntil: this.#world.now(), waitingPart: 0 };
    this.#watched.add(one);
    this.#tick();
    return { waited: () => this.#waitedOf(one), end: () => void this.#watched.delete(one) };
  }

  /** The statements that have waited for a lock for more than a second. @throws DatabaseError */
  async lockWaits(): Promise<readonly LockWait[]> {
    const { now } = this.#world;
    const known = this.#locks;
    if (known && now() - known.at < freshness && now() >= known.at) return known.waits;
    return this.#flight.run(async () => {
      const waits = (await this.#ask(lookForLocks, [])).map(lockWaitOf);
      this.#locks = { at: now(), waits };
      return waits;
    });
  }

  /** Cancels the statement of a server process. Fulfilled once the process has the signal. @throws DatabaseError */
  async cancel(pid: number): Promise<void> {
    await this.#ask("select pg_cancel_backend($1::integer)", [String(pid)]);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#watched.clear();
    const client = await this.#client?.catch(() => undefined);
    await client?.end();
  }

  #waitedOf({ waited, countedUntil, waitingPart }: Watched): number {
    const now = this.#world.now();
    const part = Math.max(waitingPart, this.#askedAt === undefined ? 0 : slowness(now - this.#askedAt));
    return waited + Math.max(0, now - countedUntil) * part;
  }

  #tick(): void {
    if (this.#isTicking || this.#isClosed) return;
    this.#isTicking = true;
    const look = async (): Promise<void> => {
      try {
        await this.#look();
      } finally {
        this.#isTicking = false;
        if (this.#watched.size > 0) this.#tick();
      }
    };
    this.#world.timeout(pause).addEventListener("abort", guarded(look, reportFailure));
  }

  /** Without an answer, all time counts as work. */
  async #look(): Promise<void> {
    const long = [...this.#watched].filter(
      ({ countedUntil }) => this.#world.now() - countedUntil >= pause / 2,
    );
    if (long.length === 0) return;
    try {
      // Opening a connection takes long on any server.
      await this.#connected();
      const askedAt = this.#world.now();
      this.#askedAt = askedAt;
      const pids = `{${long.map(({ pid }) => pid).join(",")}}`;
      const found = new Set((await this.#ask(lookAtPids, [pids])).map(({ pid }) => Number(pid)));
      const now = this.#world.now();
      for (const one of long) {
        one.waitingPart = found.has(one.pid) ? 1 : slowness(now - askedAt);
        one.waited += Math.max(0, now - one.countedUntil) * one.waitingPart;
        one.countedUntil = now;
      }
    } catch {
      for (const one of long) Object.assign(one, { waitingPart: 0, countedUntil: this.#world.now() });
    } finally {
      this.#askedAt = undefined;
    }
  }

  async #ask(
    statement: string,
    parameters: readonly SqlText[],
  ): Promise<readonly Readonly<Record<string, SqlText>>[]> {
    try {
      const client = await this.#connected();
      return (await client.query<Record<string, SqlText>>(statement, [...parameters])).rows;
    } catch (error) {
      throw databaseErrorOf(error);
    }
  }

  #connected(): Promise<pg.Client> {
    this.#client ??= this.#connect();
    return this.#client;
  }

  async #connect(): Promise<pg.Client> {
    const socket = this.#config.stream?.() ?? new Socket();
    const client = new pg.Client({
      stream: () => socket,
      ...this.#config,
      statement_timeout: patience,
      query_timeout: patience,
      fallback_application_name: "graphloom watch",
    });
    const forget = (): void => {
      this.#client = undefined;
    };
    client.on("error", forget);
    client.once("end", forget);
    try {
      await client.connect();
      // This connection alone must not keep the program running.
      if (socket instanceof Socket) socket.unref();
      return client;
    } catch (error) {
      forget();
      throw error;
    }
  }
}

/** The share of a look's time by which the server is late. Its other work is late by the same share. */
function slowness(took: number): number {
  return took <= usualLook ? 0 : 1 - usualLook / took;
}

function lockWaitOf({ since, schema, name, holders }: Readonly<Record<string, SqlText>>): LockWait {
  const listed = parseJson(holders ?? "[]");
  return {
    since: Number(since),
    ...(schema && name && { schema, table: name }),
    holders: (Array.isArray(listed) ? listed : []).filter(isRecord).map(({ pid, program }) => ({
      pid: Number(pid),
      program: visible(String(program)),
    })),
  };
}
