import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { createLeases, type Leases } from "../../src/hosting/embedded/leases.js";
import { openDatabase } from "../../src/store/open.js";
import { serverDatabase, world } from "../support/database/databases.js";
import { postgresMissing } from "../support/database/postgres-server.js";

let address: string;
beforeEach(async () => {
  address = await serverDatabase();
});

/** A separate server that takes leases but indexes nothing. */
interface Server {
  readonly leases: Leases;
  /** The leases that it believes it holds. */
  readonly has: Set<string>;
  readonly lost: string[];
  /** How often it has looked up who holds which lease. */
  readonly looks: () => number;
  /** Takes all leases that it may, as at a start. */
  takeAll(): Promise<void>;
  take(deployment: string): Promise<boolean>;
}

/** The settings of a server. */
interface ServerOptions {
  readonly network?: string;
  /** The deployments that it should index. */
  readonly deployments?: readonly string[];
  /** The clock that it waits with. */
  readonly clock?: Parameters<typeof createLeases>[1];
  /** Milliseconds of silence after which it loses its leases. */
  readonly silence?: number;
}

/** A clock whose timeouts end when the test calls `tick`. */
function handClock(): Parameters<typeof createLeases>[1] & { tick(): void } {
  let time = new AbortController();
  return {
    timeout: () => {
      time = new AbortController();
      return time.signal;
    },
    tick: () => time.abort(),
  };
}

async function server({
  network = "mainnet",
  deployments = [],
  clock = world,
  silence = 60_000,
}: ServerOptions = {}): Promise<Server> {
  const database = await openDatabase(address, world);
  const has = new Set<string>();
  const lost: string[] = [];
  let looks = 0;
  const take = async (deployment: string, isAwaited = true): Promise<boolean> => {
    const isTaken = await leases.take({ deployment, network: "mainnet" }, isAwaited);
    if (isTaken) has.add(deployment);
    return isTaken;
  };
  const takeAll = async (): Promise<void> => {
    for (const deployment of deployments) await take(deployment, false);
  };
  const holder = {
    networks: [network],
    wanted: () => deployments.map((deployment) => ({ deployment, network: "mainnet" })),
    lost: (all: readonly string[]) => void lost.push(...all),
    free: () => void takeAll(),
    handOver: (all: readonly string[]) => {
      for (const deployment of all) {
        has.delete(deployment);
        void leases.giveBack(deployment);
      }
    },
  };
  const leases = createLeases(
    database,
    clock,
    {
      ...holder,
      wanted: () => {
        looks += 1;
        return holder.wanted();
      },
    },
    { look: 50, silence },
  );
  onTestFinished(async () => {
    await leases.close();
    await database.close();
  });
  return { leases, has, lost, looks: () => looks, takeAll, take };
}

const six = ["a", "b", "c", "d", "e", "f"];

describe.skipIf(postgresMissing !== undefined)("leases of servers that share a database", () => {
  test("a lease belongs to one server until that server gives it back", async () => {
    const [one, other] = [await server({ silence: 2_000 }), await server()];
    expect(await one.take("a")).toBe(true);
    expect(await one.leases.holds("a")).toBe(true);
    const refused = new Set<boolean>();
    // This takes longer than a server may stay silent.
    for (let round = 0; round < 45; round++) {
      refused.add(await other.take("a"));
      await world.sleep(50);
    }
    expect(refused).toEqual(new Set([false]));
    await one.leases.giveBack("a");
    expect(await other.take("a")).toBe(true);
    expect(await one.leases.holds("a")).toBe(false);
    expect([one.lost, other.lost]).toEqual([[], []]);
  });

  test("another server takes over the leases of a hanging server, which notices when it continues", async () => {
    const hang = new AbortController();
    // It never looks again, as if its process was stopped.
    const hung = await server({ clock: { timeout: () => hang.signal }, silence: 2_000 });
    const other = await server();
    await other.take("b");
    expect(await hung.take("a")).toBe(true);
    expect(await other.take("a")).toBe(false);
    await expect.poll(() => other.take("a")).toBe(true);
    expect(await hung.leases.holds("a")).toBe(false);
    hang.abort();
    await expect.poll(() => hung.lost).toEqual(["a"]);
    expect(await hung.take("a")).toBe(false);
  });

  test("leases are divided when a second server starts, and return when it ends", async () => {
    const first = await server({ deployments: six });
    await first.takeAll();
    expect([...first.has]).toEqual(six);
    const second = await server({ deployments: six });
    await second.takeAll();
    expect(second.has.size).toBe(0);
    await expect
      .poll(() => {
        expect([...first.has].filter((deployment) => second.has.has(deployment))).toEqual([]);
        return [first.has.size, second.has.size];
      })
      .toEqual([3, 3]);
    const looks = first.looks();
    await expect.poll(() => first.looks() > looks + 40).toBe(true);
    expect([first.has.size, second.has.size]).toEqual([3, 3]);
    await second.leases.close();
    await expect.poll(() => [...first.has].sort()).toEqual(six);
  });

  test("a retiring server leaves new leases to the other servers", async () => {
    const clock = handClock();
    const [first, second] = [await server({ deployments: six, clock }), await server()];
    await second.take("f");
    await first.takeAll();
    expect(first.has.size).toBe(3);
    await second.leases.retire();
    expect(await second.take("e")).toBe(false);
    clock.tick();
    await expect.poll(() => [...first.has].sort()).toEqual(six.slice(0, 5));
    expect(await second.leases.holds("f")).toBe(true);
  });

  test("a server without a node for the network takes no share of its leases", async () => {
    // It looks only once the other server has everything: any server takes a lease that stays free for three looks.
    const clock = handClock();
    const stranger = await server({ network: "sepolia", deployments: six, clock });
    await stranger.take("of another network");
    const first = await server({ deployments: six });
    await first.takeAll();
    await stranger.takeAll();
    const looks = first.looks();
    await expect
      .poll(() => {
        clock.tick();
        return first.looks() > looks + 40;
      })
      .toBe(true);
    expect([...first.has]).toEqual(six);
    expect([...stranger.has].filter((deployment) => six.includes(deployment))).toEqual([]);
  });

  test("another server takes leases that their intended server leaves untaken", async () => {
    const idle = await server();
    await idle.take("something else");
    const clock = handClock();
    const first = await server({ deployments: six, clock });
    await first.takeAll();
    expect(first.has.size).toBe(3);
    await expect
      .poll(() => {
        clock.tick();
        return [...first.has].sort();
      })
      .toEqual(six);
  });
});
