import { reportFailure } from "../../base/failures.js";
import { repeat } from "../../base/text/repeat.js";
import { type BackoffTimes, backoff } from "../../base/turns/backoff.js";
import { inBackground } from "../../base/turns/guarded.js";
import { wait } from "../../base/turns/wait.js";
import type { World } from "../../base/world.js";
import type { Engine, HostedBuild, HostedChange, Hosting } from "../../hosting/engine.js";
import { type Database, DatabaseError } from "../../store/database/database.js";
import { sourceSubgraphs } from "../../subgraph/manifest/source-subgraphs.js";
import type { ReadBuild } from "../../subgraph/runnable/read-build.js";
import { type AimedBuild, aimedBuilds, dropBuild, isUnshown, pauseBuild } from "./builds.js";
import { Lanes } from "./lanes.js";
import { areShownTogether } from "./shown-builds.js";
import { storedBuild } from "./stored-build.js";
import { learnSources } from "./versions.js";

/** The parts of a hosting. */
export interface HostingOptions {
  /** The database with the catalog. The hosting does not close it. */
  readonly database: Database;
  /** In the order of requests. The hosting closes them. */
  readonly engines: readonly Engine[];
  readonly world: Pick<World, "now" | "random" | "timeout">;
  /** Milliseconds between checks of the catalog when no change is reported; 10 seconds by default. */
  readonly interval?: number;
}

/** Times to wait before an engine's failed work is retried. */
const engineBackoff: BackoffTimes = { first: 1_000, longest: 60_000 };

/** Makes the engines follow the catalog: at once on request, and otherwise at intervals. */
export function createHosting(options: HostingOptions): Hosting {
  return new CatalogHosting(options);
}

/** The work on each deployment; it never fails. */
type Moves = ReadonlyMap<string, Promise<void>>;

interface Failure {
  readonly count: number;
  readonly retryAt: number;
}

class CatalogHosting implements Hosting {
  readonly engines: readonly Engine[];
  readonly #database: Database;
  readonly #world: HostingOptions["world"];
  readonly #closing = new AbortController();
  readonly #failures = new Map<string, Failure>();
  /** Builds that need not be read from the catalog while a caller waits for them to start. */
  readonly #read = new Map<string, ReadBuild>();
  /** One lane for each deployment, so that a slow one does not delay others. */
  readonly #lanes = new Lanes();
  #reading: Promise<Moves> | undefined;
  #next: Promise<Moves> | undefined;
  #closed: Promise<void> | undefined;

  constructor({ database, engines, world, interval = 10_000 }: HostingOptions) {
    this.engines = engines;
    this.#database = database;
    this.#world = world;
    for (const engine of engines)
      engine.onFree?.(() => inBackground(this.#reconcileQuietly(), reportFailure));
    for (const engine of engines)
      engine.onDrift?.((drifted) => inBackground(this.#bringBack(drifted), reportFailure));
    const loop = repeat(interval, world, this.#closing.signal, () => this.#reconcileQuietly());
    inBackground(loop, reportFailure);
  }

  engine(name: string): Engine {
    const found = this.engines.find((engine) => engine.name === name);
    if (!found) throw new Error(`the server was started without the engine ${name}`);
    return found;
  }

  engineFor(network: string): Engine | undefined {
    const known = this.engines.find(({ networks }) => networks.includes(network));
    return known ?? this.engines.find(({ takesAny }) => takesAny);
  }

  async reconcile(
    deployments?: readonly string[],
    read: ReadonlyMap<string, ReadBuild> = new Map(),
  ): Promise<void> {
    for (const [deployment, build] of read) this.#read.set(deployment, build);
    try {
      const moves = await this.#look();
      const asked = deployments?.map((deployment) => moves.get(deployment)) ?? [...moves.values()];
      await Promise.all(asked);
    } finally {
      for (const [deployment, build] of read) {
        if (this.#read.get(deployment) === build) this.#read.delete(deployment);
      }
    }
  }

  onChange(hear: (change: HostedChange) => void): () => void {
    const stops = this.engines.map((engine) => engine.onChange(hear));
    return () => {
      for (const stop of stops) stop();
    };
  }

  close(): Promise<void> {
    this.#closed ??= (async () => {
      this.#closing.abort();
      for (const engine of this.engines) engine.interrupt?.();
      await this.#reading?.catch(() => undefined);
      await this.#lanes.idle();
      await Promise.all(this.engines.map((engine) => engine.close()));
    })();
    return this.#closed;
  }

  /** One at a time; a call during a run starts another run after it. */
  #look(): Promise<Moves> {
    // The next read starts after this call, so it sees the change.
    if (this.#next) return this.#next;
    if (!this.#reading) return this.#start();
    this.#next = this.#reading
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        return this.#start();
      });
    return this.#next;
  }

  #start(): Promise<Moves> {
    if (this.#closing.signal.aborted) return Promise.resolve(new Map());
    this.#reading = this.#move().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** Reads the catalog and makes all deployments follow it. @returns a promise for each deployment */
  async #move(): Promise<Moves> {
    const aims = await aimedBuilds(this.#database);
    const known = new Set(aims.map(({ deployment }) => deployment));
    for (const deployment of this.#failures.keys())
      if (!known.has(deployment)) this.#failures.delete(deployment);
    const moves = new Map(
      aims.map((aim) => [aim.deployment, this.#lanes.run(aim.deployment, () => this.#follow(aim))]),
    );
    await Promise.all(this.engines.map((engine) => engine.keepOnly?.(known)));
    return moves;
  }

  /** Retries at once the deployments whose state on the engine has drifted from the catalog. */
  async #bringBack(deployments: readonly string[]): Promise<void> {
    for (const deployment of deployments) this.#failures.delete(deployment);
    await this.#reconcileQuietly();
  }

  async #follow(aim: AimedBuild): Promise<void> {
    const { deployment } = aim;
    const failure = this.#failures.get(deployment);
    if (failure && failure.retryAt > this.#world.now()) return;
    const engine = this.engines.find(({ name }) => name === aim.engine);
    // A different server may have it.
    if (!engine) return;
    try {
      await this.#make(aim, engine);
      this.#failures.delete(deployment);
    } catch {
      // The deployment's status shows the error.
      const count = (failure?.count ?? 0) + 1;
      const pause = backoff(count, engineBackoff, this.#world.random());
      this.#failures.set(deployment, { count, retryAt: this.#world.now() + pause });
      inBackground(this.#retryIn(pause), reportFailure);
    }
  }

  async #make(aim: AimedBuild, engine: Engine): Promise<void> {
    const { deployment, network, isActive, project } = aim;
    if (project === null) {
      await engine.remove(deployment, (sql) => isUnshown(sql, deployment));
      await dropBuild(this.#database, deployment);
    } else if (isActive) await engine.start(this.#buildOf(deployment, network, project));
    else await engine.pause(deployment, network);
  }

  #buildOf(deployment: string, network: string, project: string): HostedBuild {
    return {
      deployment,
      network,
      project,
      read: async () => {
        const read = this.#read.get(deployment) ?? (await storedBuild(this.#database, deployment));
        if (!read) throw new DatabaseError(`the build of ${deployment} is not in the database`);
        await learnSources(this.#database, deployment, sourceSubgraphs(read.manifest));
        return read;
      },
      mayRead: (other) => areShownTogether(this.#database, deployment, other),
      keepPaused: () => pauseBuild(this.#database, deployment),
    };
  }

  async #retryIn(milliseconds: number): Promise<void> {
    await wait(milliseconds, this.#world, this.#closing.signal);
    await this.#reconcileQuietly();
  }

  /**
   * Leaves failures to the next round: callers that change the catalog see them. Failures outside the
   * database are in the server's log.
   */
  async #reconcileQuietly(): Promise<void> {
    try {
      await this.#look();
    } catch (error) {
      if (!(error instanceof DatabaseError)) reportFailure(error);
    }
  }
}
