import { LRUCache } from "lru-cache";
import type { World } from "../../base/world.js";
import type { HostedStorage } from "../../hosting/engine.js";
import { entityCounts } from "../../store/tables/table-facts.js";

/** The current number of entities, by table name. */
export type EntityCounts = ReadonlyMap<string, bigint>;

/** Counts the entities of a deployment; `undefined` before the first count has ended. It throws DatabaseError. */
export type ReadEntityCounts = (storage: HostedStorage) => Promise<EntityCounts | undefined>;

/** The cached counts of a deployment. */
interface Known {
  /** The last block when they were counted. */
  readonly head: string;
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
/** The shortest time between two counts of a deployment, in milliseconds. */
const apart = 5_000;
/** Milliseconds that a page waits for a count before it shows the previous one. */
const patience = 1_000;
const mostKnown = 1_000;

/**
 * Counts the entities of deployments for pages that reload again and again. A count stays valid until the deployment
 * has a new last block. Tables that take long to count are counted rarely.
 * @returns the counts; `undefined` before the first count of a deployment. It throws DatabaseError.
 */
export function createEntityCounts(world: Pick<World, "now" | "timeout">): ReadEntityCounts {
  const all = new LRUCache<string, Known>({ max: mostKnown });

  const begin = (storage: HostedStorage, before: EntityCounts | undefined): Known => {
    const { deployment } = storage.deployment;
    const started = world.now();
    const running = entityCounts(storage.database, storage.layout);
    const known: Known = {
      ...{ head: headOf(storage), running, isRunning: true, notBefore: started + apart },
      ...(before && { counts: before }),
    };
    running.then(
      (counts) => {
        const took = world.now() - started;
        const notBefore = started + Math.max(apart, took / share);
        if (all.get(deployment) === known)
          all.set(deployment, { ...known, counts, isRunning: false, notBefore });
      },
      // Current waiters get the error; the next request counts again.
      () => all.delete(deployment),
    );
    all.set(deployment, known);
    return known;
  };

  return async (storage) => {
    const known = all.get(storage.deployment.deployment);
    if (known && !known.isRunning && (known.head === headOf(storage) || world.now() < known.notBefore)) {
      return known.counts;
    }
    const { running, counts } = known?.isRunning ? known : begin(storage, known?.counts);
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
