import type { World } from "../../base/world.js";
import { manifestPath } from "../../subgraph/build.js";
import { unzipBundle } from "../../subgraph/unzip-bundle.js";
import { type AimedBuild, aimedBuilds, dropBuild, readBundle } from "../catalog/builds.js";
import { type Database, DatabaseError } from "../database/database.js";
import type { Engine, HostedBuild, HostedChange, Hosting } from "./engine.js";
import { wait } from "./wait.js";

/** What hosting is made of. */
export interface HostingOptions {
  /** Where the catalog lies; it is not closed with the hosting. */
  readonly database: Database;
  /** The ones that are asked first come first. The hosting closes them. */
  readonly engines: readonly Engine[];
  readonly world: Pick<World, "now" | "timeout">;
  /** Milliseconds after which the catalog is looked at even if nobody says that it has changed; 10 seconds. */
  readonly interval?: number;
}

/** Milliseconds after which what an engine could not do is tried again: twice as long each time. */
const firstPause = 1_000;
const longestPause = 60_000;

/** Makes the engines do what the catalog says: at once when asked, and again and again by itself. */
export function createHosting(options: HostingOptions): Hosting {
  return new CatalogHosting(options);
}

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
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #closed: Promise<void> | undefined;

  constructor({ database, engines, world, interval = 10_000 }: HostingOptions) {
    this.engines = engines;
    this.#database = database;
    this.#world = world;
    for (const engine of engines) engine.onFree?.(() => void this.#reconcileQuietly());
    void this.#repeat(interval);
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

  /** One at a time; whoever asks while one runs gets one that begins after it. */
  reconcile(): Promise<void> {
    if (!this.#running) return this.#start();
    this.#next ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        return this.#start();
      });
    return this.#next;
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
      await this.#running?.catch(() => undefined);
      await Promise.all(this.engines.map((engine) => engine.close()));
    })();
    return this.#closed;
  }

  #start(): Promise<void> {
    if (this.#closing.signal.aborted) return Promise.resolve();
    this.#running = this.#reconcile().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #reconcile(): Promise<void> {
    const aims = await aimedBuilds(this.#database);
    const known = new Set(aims.map(({ deployment }) => deployment));
    for (const deployment of this.#failures.keys())
      if (!known.has(deployment)) this.#failures.delete(deployment);
    await Promise.all([
      ...this.engines.map((engine) => engine.keepOnly?.(known)),
      ...aims.map((aim) => this.#follow(aim)),
    ]);
  }

  async #follow(aim: AimedBuild): Promise<void> {
    const { deployment } = aim;
    const failure = this.#failures.get(deployment);
    if (failure && failure.retryAt > this.#world.now()) return;
    const engine = this.engines.find(({ name }) => name === aim.engine);
    // Another server may have it.
    if (!engine) return;
    try {
      await this.#move(aim, engine);
      this.#failures.delete(deployment);
    } catch {
      // What is wrong is in the deployment's status.
      const count = (failure?.count ?? 0) + 1;
      const pause = Math.min(longestPause, firstPause * 2 ** Math.min(count - 1, 10));
      this.#failures.set(deployment, { count, retryAt: this.#world.now() + pause });
      void this.#retryIn(pause);
    }
  }

  async #move({ deployment, network, isActive, isShown }: AimedBuild, engine: Engine): Promise<void> {
    if (!isShown) {
      await engine.remove(deployment);
      await dropBuild(this.#database, deployment);
    } else if (isActive) await engine.start(this.#buildOf(deployment, network));
    else await engine.pause(deployment, network);
  }

  #buildOf(deployment: string, network: string): HostedBuild {
    return {
      deployment,
      network,
      files: async () => {
        const zip = await readBundle(this.#database, deployment);
        if (!zip) throw new DatabaseError(`the build of ${deployment} is not in the database`);
        return { manifest: manifestPath, files: await unzipBundle(zip) };
      },
    };
  }

  async #retryIn(milliseconds: number): Promise<void> {
    await wait(milliseconds, this.#world, this.#closing.signal);
    await this.#reconcileQuietly();
  }

  async #repeat(interval: number): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await wait(interval, this.#world, signal);
      await this.#reconcileQuietly();
    }
  }

  /** The next one comes by itself, and whoever changes the catalog is told of a failure. */
  async #reconcileQuietly(): Promise<void> {
    try {
      await this.reconcile();
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
    }
  }
}
