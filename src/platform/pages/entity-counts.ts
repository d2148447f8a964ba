import { LRUCache } from "lru-cache";
import { reportFailure } from "../../base/failures.js";
import { FairTurns } from "../../base/turns/fair-turns.js";
import { inBackground } from "../../base/turns/guarded.js";
import type { World } from "../../base/world.js";
import type { HostedStorage } from "../../hosting/engine.js";
import type { Database } from "../../store/database/database.js";
import { keptSince } from "../../store/tables/kept-history.js";
import { entityCounts, newEntities } from "../../store/tables/table-facts.js";
import { readBlockAt } from "../figures/figure-rows.js";
import type { Platform } from "../platform.js";

/** A number of entities, by table name. */
export type EntityCounts = ReadonlyMap<string, bigint>;

/**
 * Counts the entities of a deployment in the turn of a project; `undefined` before the first count has ended. It throws
 * DatabaseError.
 */
export type ReadEntityCounts = (project: string, storage: HostedStorage) => Promise<EntityCounts | undefined>;

/** The cached counts of a deployment. */
interface Known {
  /** The counted state. */
  readonly of: string;
  /** The last complete counts. */
  readonly counts?: EntityCounts;
  /** The running or last count. */
  readonly running: Promise<EntityCounts>;
  isRunning: boolean;
  /** Milliseconds since 1970; the next count starts no earlier. */
  notBefore: number;
}

/** Counting takes at most this share of the time. */
const share = 1 / 50;
const [minute, hour] = [60_000, 3_600_000];
/** The shortest time between two counts of a deployment, in milliseconds. */
const apart = 5_000;
/** Milliseconds that a page waits for a count before it shows the previous one. */
const patience = 1_000;
const mostKnown = 1_000;
/**
 * A count may take minutes, so counts leave most connections to other work. Each count starts only once, so few wait.
 */
const places = { atOnce: 3, atOnceOfOne: 2 };
const turns = new WeakMap<Database, FairTurns>();

/**
 * Counts the entities of deployments for pages that reload again and again. A count stays valid until the deployment
 * has a new last block. Tables that take long to count are counted rarely.
 * @returns the counts; `undefined` before the first count of a deployment. It throws DatabaseError.
 */
export function createEntityCounts(world: Pick<World, "now" | "timeout">): ReadEntityCounts {
  return createCounts(world, headOf, ({ database, layout }) => entityCounts(database, layout));
}

/**
 * Counts the entities that did not exist an hour ago, as `createEntityCounts` counts all. Unknown numbers are
 * omitted: if nothing was measured an hour ago, if those versions are no longer kept, or in the tables of another
 * program.
 */
export function createNewEntities({
  database,
  world,
}: Pick<Platform, "database" | "world">): ReadEntityCounts {
  return createCounts(
    world,
    // The last hour moves on even without new blocks.
    (storage) => `${Math.floor(world.now() / minute)} ${headOf(storage)}`,
    async ({ database: own, deployment, layout, isForeign = false }) => {
      const block = isForeign
        ? undefined
        : await readBlockAt(database, deployment.deployment, world.now() - hour);
      if (block === undefined || (await keptSince(own, deployment.id, block)) !== undefined) return new Map();
      return newEntities(own, layout, block);
    },
  );
}

/**
 * @param stateOf returns the counted state: a count stays valid while this is equal
 * @param count counts; it throws DatabaseError
 */
function createCounts(
  world: Pick<World, "now" | "timeout">,
  stateOf: (storage: HostedStorage) => string,
  count: (storage: HostedStorage) => Promise<EntityCounts>,
): ReadEntityCounts {
  const all = new LRUCache<string, Known>({ max: mostKnown });

  const begin = (project: string, storage: HostedStorage, before: EntityCounts | undefined): Known => {
    const { deployment } = storage.deployment;
    let started = world.now();
    const own = turns.get(storage.database) ?? new FairTurns(places);
    turns.set(storage.database, own);
    const running = own.run(project, () => {
      started = world.now();
      return count(storage);
    });
    const known: Known = {
      of: stateOf(storage),
      running,
      isRunning: true,
      notBefore: started + apart,
      ...(before && { counts: before }),
    };
    const noted = running.then(
      (counts) => {
        const took = world.now() - started;
        const notBefore = started + Math.max(apart, took / share);
        if (all.get(deployment) === known)
          all.set(deployment, { ...known, counts, isRunning: false, notBefore });
      },
      // Current waiters get the error; the next request counts again.
      () => all.delete(deployment),
    );
    inBackground(noted, reportFailure);
    all.set(deployment, known);
    return known;
  };

  return async (project, storage) => {
    const known = all.get(storage.deployment.deployment);
    if (known && !known.isRunning && (known.of === stateOf(storage) || world.now() < known.notBefore)) {
      return known.counts;
    }
    const { running, counts } = known?.isRunning ? known : begin(project, storage, known?.counts);
    return Promise.race([running, after(world, patience, counts)]);
  };
}

function headOf({ deployment: { head } }: HostedStorage): string {
  return head ? `${head.number} ${head.hash}` : "";
}

function after<T>(world: Pick<World, "timeout">, milliseconds: number, value: T): Promise<T> {
  return new Promise((resolve) =>
    world.timeout(milliseconds).addEventListener("abort", () => resolve(value), { once: true }),
  );
}
