import type { FastifyBaseLogger } from "fastify";
import type { Meters } from "../../base/meters.js";
import { repeat } from "../../base/text/repeat.js";
import type { HostedStatus } from "../../hosting/engine.js";
import type { Platform } from "../platform.js";
import { namedBuilds } from "../subgraphs/builds.js";
import { readStatuses } from "../subgraphs/read-statuses.js";
import { type Figure, measure } from "./figure.js";
import {
  addMarks,
  addMinutes,
  type MinuteRow,
  type NewMark,
  prune,
  readSince,
  rollUp,
} from "./figure-rows.js";
import { Minute } from "./minute.js";
import { day, hour, minute } from "./ranges.js";

/** The figures of the last hour, for pages. */
export interface RecentFigures {
  /**
   * The figures of a deployment in the last hour, by minutes, oldest first, the current minute included. Minutes that were
   * not measured are missing.
   */
  recent(deployment: string): readonly Figure[];
}

/** Milliseconds between measurements. */
const pause = 15_000;
/** The most rows that wait for an unreachable database. Older ones are dropped. */
const mostWaiting = 20_000;

type Own = Pick<Platform, "database" | "hosting" | "world">;

/**
 * Measures the deployments of a server and counts their queries. It keeps the last hour in a ring in memory, and
 * writes one row for each deployment and minute. While the database or an engine is away, there are no measurements.
 * Several servers on one database add to the same rows; the one that indexes a deployment determines its state.
 * Queries are not counted while several projects have the build, because each may see only its own.
 */
export class FigureRecorder implements RecentFigures {
  readonly #log: Pick<FastifyBaseLogger, "warn"> | undefined;
  readonly #closing = new AbortController();
  readonly #ring = new Map<string, readonly Figure[]>();
  /** The deployments that this server indexes. */
  #own: ReadonlySet<string> = new Set();
  /** The failed deployments, each with the time of its failure if its engine knows that. */
  readonly #failed = new Map<string, number | undefined>();
  #minute = new Minute(0);
  #rows: readonly MinuteRow[] = [];
  #marks: readonly NewMark[] = [];
  #isFilled = false;
  #prunedAt = 0;
  #hasFailed = false;
  #running: Promise<void> = Promise.resolve();
  #stopHearing: () => void = () => undefined;

  /** @param log receives failures, once until measuring works again */
  constructor(log?: Pick<FastifyBaseLogger, "warn">) {
    this.#log = log;
  }

  /** Counts queries. */
  get meters(): Pick<Meters, "queried"> {
    return { queried: (...counted) => this.#minute.queried(...counted) };
  }

  recent(deployment: string): readonly Figure[] {
    const figures = this.#ring.get(deployment) ?? [];
    const current = this.#minute.figure(deployment);
    if (current?.state === undefined) return figures;
    return [...figures.filter(({ at }) => at < current.at), current];
  }

  /** Measures at intervals, until `stop` is called. */
  start(platform: Own): void {
    const { hosting, world } = platform;
    this.#minute = new Minute(world.now());
    this.#stopHearing = hosting.onChange(({ deployment, reverted: blocks, isShared }) => {
      if (blocks !== undefined)
        this.#mark({ deployment, kind: "reorganisation", at: world.now(), blocks, isShared });
    });
    this.#running = repeat(pause, world, this.#closing.signal, () => this.measureNow(platform));
  }

  /** Stops, and writes the last measurements. */
  async stop(platform: Own): Promise<void> {
    this.#stopHearing();
    this.#closing.abort();
    await this.#running;
    await this.#guarded(() => {
      this.#turn(Number.POSITIVE_INFINITY);
      return this.#write(platform);
    });
  }

  /** Measures all deployments once, and writes the minutes that are over. */
  async measureNow(platform: Own): Promise<void> {
    await this.#guarded(async () => {
      const now = platform.world.now();
      this.#turn(now);
      await this.#fill(platform, now);
      await this.#measure(platform, now);
      await this.#write(platform);
    });
  }

  async #guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.#hasFailed = false;
    } catch (error) {
      // Whatever the reason, the server continues, and the charts have a gap.
      if (!this.#hasFailed) this.#log?.warn({ err: error }, "the figures of deployments could not be kept");
      this.#hasFailed = true;
    }
  }

  /** Ends the current minute if it is over, or if the clock was set back to before it. */
  #turn(now: number): void {
    if (now >= this.#minute.at && now < this.#minute.at + minute) return;
    this.#rows = [...this.#rows, ...this.#minute.rows()].slice(-mostWaiting);
    this.#minute = new Minute(Number.isFinite(now) ? now : this.#minute.at + minute);
  }

  /** Reads the last hour, and completes the rows of five minutes that an earlier server left incomplete. */
  async #fill({ database }: Own, now: number): Promise<void> {
    if (this.#isFilled) return;
    for (const [deployment, figures] of await readSince(database, now - hour))
      this.#ring.set(deployment, figures);
    await rollUp(database, now - day);
    this.#isFilled = true;
  }

  async #measure({ database, hosting }: Own, now: number): Promise<void> {
    const builds = await namedBuilds(database);
    const nodes = (await Promise.all(hosting.engines.map((engine) => engine.nodes?.() ?? []))).flat();
    const heads = new Map(nodes.map((node) => [node.network, node]));
    const { known, silent } = await readStatuses(hosting, builds, this.#log ?? { warn: () => undefined });
    const own = new Set<string>();
    for (const { deployment, network, engine, isPaused, isShared } of builds) {
      const status = known.get(deployment);
      // Only the server that indexes it knows its rate.
      const isOwn = status?.handlersPerSecond !== undefined;
      // An engine that does not answer has not stopped.
      if (isOwn || (silent.has(engine) && this.#own.has(deployment))) own.add(deployment);
      if (isOwn && !this.#own.has(deployment)) this.#mark({ deployment, kind: "restart", at: now });
      if (status) this.#onStatus(deployment, status, now);
      if (isShared) this.#minute.leaveOutQueries(deployment);
      const measured = measure(isPaused, status, heads.get(network));
      if (measured.state !== undefined) this.#minute.measured(deployment, measured, isOwn);
    }
    this.#own = own;
    const all = new Set(builds.map(({ deployment }) => deployment));
    for (const deployment of this.#ring.keys()) if (!all.has(deployment)) this.#ring.delete(deployment);
    for (const deployment of this.#failed.keys()) if (!all.has(deployment)) this.#failed.delete(deployment);
  }

  async #write({ database, world }: Own): Promise<void> {
    const [rows, marks] = [this.#rows, this.#marks];
    if (rows.length + marks.length === 0) return;
    const now = world.now();
    const oldest = Math.min(now, ...rows.map(({ at }) => at));
    await database.transaction(async (sql) => {
      await addMarks(sql, marks);
      await addMinutes(sql, rows);
      await rollUp(sql, Math.floor(oldest / (5 * minute)) * 5 * minute - 5 * minute);
    });
    // Rows that were added meanwhile stay.
    this.#rows = this.#rows.slice(rows.length);
    this.#marks = this.#marks.slice(marks.length);
    await this.#renew(database, now, oldest);
    if (Math.abs(now - this.#prunedAt) < hour) return;
    await prune(database, now);
    this.#prunedAt = now;
  }

  /** Adds the rows that this server and others have written to the ring. */
  async #renew(database: Own["database"], now: number, oldest: number): Promise<void> {
    const since = Math.max(now - hour, Math.floor(oldest / minute) * minute - 2 * minute);
    for (const [deployment, fresh] of await readSince(database, since)) {
      const kept = (this.#ring.get(deployment) ?? []).filter(({ at }) => at < since && at >= now - hour);
      this.#ring.set(deployment, [...kept, ...fresh]);
    }
  }

  /**
   * Marks each failure once. An engine that knows its time reports the same time to other servers, and after a
   * restart.
   */
  #onStatus(deployment: string, { health, fatalError }: HostedStatus, now: number): void {
    if (health !== "failed") {
      this.#failed.delete(deployment);
      return;
    }
    const at = fatalError?.failingSince ?? fatalError?.failedAt;
    if (this.#failed.has(deployment) && this.#failed.get(deployment) === at) return;
    this.#failed.set(deployment, at);
    this.#mark({ deployment, kind: "failure", at: at ?? now, isShared: at === undefined });
  }

  #mark(mark: NewMark): void {
    this.#marks = [...this.#marks, mark].slice(-mostWaiting);
  }
}
