import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type LockView, ownSession } from "../../src/hosting/embedded/lease-locks.js";
import { Shares } from "../../src/hosting/embedded/shares.js";

const network = "mainnet";

/** Simulates servers that share a database, one look at a time. */
class Cluster {
  readonly #wanted: readonly { readonly deployment: string; readonly network: string }[];
  readonly #servers = new Map<string, { readonly shares: Shares; readonly isAble: boolean }>();
  readonly #holders = new Map<string, string>();
  #names = 0;
  /** How often a deployment was handed over. */
  handedOver = 0;

  constructor(deployments: number) {
    this.#wanted = Array.from({ length: deployments }, (_, index) => ({
      deployment: `Qm${index}`,
      network,
    }));
  }

  /** Adds a server. @param isAble whether it takes deployments @returns its name */
  add(isAble = true): string {
    const name = `server ${++this.#names}`;
    this.#servers.set(name, { shares: new Shares(() => this.#wanted), isAble });
    return name;
  }

  remove(name: string): void {
    this.#servers.delete(name);
    for (const [deployment, holder] of this.#holders) if (holder === name) this.#holders.delete(deployment);
  }

  /** Lets each server look `times` times, in turn. */
  look(times: number): void {
    for (let time = 0; time < times; time++) for (const name of this.#servers.keys()) this.#lookOf(name);
  }

  /** The number of deployments of each server, in ascending order. */
  get loads(): readonly number[] {
    const loads = [...this.#servers.keys()].map(
      (name) => [...this.#holders.values()].filter((holder) => holder === name).length,
    );
    return loads.sort((one, other) => one - other);
  }

  #lookOf(name: string): void {
    const { shares, isAble } = this.#server(name);
    const free = shares.see(this.#viewOf(name));
    for (const deployment of isAble ? free : []) {
      if (this.#holders.has(deployment) || !shares.isForUs({ deployment, network }, false)) continue;
      this.#holders.set(deployment, name);
      shares.took({ deployment, network });
    }
    for (const deployment of shares.surplus()) {
      this.handedOver += 1;
      this.#holders.delete(deployment);
      shares.gaveBack(deployment);
    }
  }

  #server(name: string): { readonly shares: Shares; readonly isAble: boolean } {
    const found = this.#servers.get(name);
    if (!found) throw new Error(`there is no ${name}`);
    return found;
  }

  #viewOf(name: string): LockView {
    const seen = (session: string): string => (session === name ? ownSession : session);
    return {
      servers: new Map([[network, [...this.#servers.keys()].map(seen)]]),
      holders: new Map([...this.#holders].map(([deployment, session]) => [deployment, seen(session)])),
    };
  }
}

describe("shares of servers", () => {
  it("a single server takes everything at once", () => {
    const cluster = new Cluster(6);
    cluster.add();
    cluster.look(1);
    expect(cluster.loads).toEqual([6]);
  });

  it("servers that start together never hand anything over", () => {
    const cluster = new Cluster(7);
    cluster.add();
    cluster.add();
    cluster.look(50);
    expect([cluster.loads, cluster.handedOver]).toEqual([[3, 4], 0]);
  });

  it("a new server gets its share of the oldest deployments first", () => {
    const cluster = new Cluster(6);
    cluster.add();
    cluster.look(1);
    cluster.add();
    cluster.look(20);
    expect([cluster.loads, cluster.handedOver]).toEqual([[3, 3], 3]);
  });

  it("a server leaves a deployment it handed over to the others for a while", () => {
    const wanted = ["a", "b", "c"].map((deployment) => ({ deployment, network }));
    const shares = new Shares(() => wanted);
    const servers = new Map([[network, [ownSession, "other"]]]);
    const [first, second, third] = wanted;
    if (!first || !second || !third) throw new Error("there are three");
    for (const one of [first, second]) shares.took(one);
    const holders = new Map([
      ["a", ownSession],
      ["b", ownSession],
    ]);
    const given = [1, 2, 3].flatMap(() => {
      shares.see({ servers, holders });
      return shares.surplus();
    });
    expect(given).toEqual(["a"]);
    shares.gaveBack("a");
    holders.delete("a");
    const free = [1, 2, 3].map(() => shares.see({ servers, holders }).includes("a"));
    expect(free).toEqual([false, false, true]);
  });

  it("a server without a node for the network takes only deployments that no server has a node for", () => {
    const wanted = { deployment: "a", network };
    const shares = new Shares(() => [wanted]);
    const holders = new Map<string, string>();
    const sees = (sessions: readonly string[]): boolean => {
      const seen = [1, 2, 3, 4].map(() => shares.see({ servers: new Map([[network, sessions]]), holders }));
      return seen.flat().includes("a") || shares.isForUs(wanted, true);
    };
    expect([sees(["other"]), sees([])]).toEqual([false, true]);
  });

  it("hands over a few deployments at a time", () => {
    const cluster = new Cluster(100);
    cluster.add();
    cluster.look(1);
    cluster.add();
    cluster.look(5);
    expect(cluster.loads).toEqual([8, 92]);
    cluster.look(60);
    expect([cluster.loads, cluster.handedOver]).toEqual([[50, 50], 50]);
  });

  it("offers deployments ever more rarely to a server that takes none, and leaves none untaken", () => {
    const cluster = new Cluster(6);
    cluster.add();
    cluster.add(false);
    cluster.look(10);
    expect(cluster.loads).toEqual([0, 6]);
    cluster.look(1_000);
    const early = cluster.handedOver;
    expect(early).toBeLessThan(15);
    cluster.look(10_000);
    expect(cluster.handedOver - early).toBeLessThanOrEqual(10_000 / 200);
    expect(cluster.loads).toEqual([0, 6]);
  });

  it("every server soon has a stable share after servers start and end", () => {
    const event = fc.record({ isComing: fc.boolean(), looks: fc.integer({ min: 0, max: 30 }) });
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 25 }),
        fc.array(event, { maxLength: 12 }),
        (deployments, events) => {
          const cluster = new Cluster(deployments);
          const names = [cluster.add()];
          for (const { isComing, looks } of events) {
            if (isComing || names.length < 2) names.push(cluster.add());
            else cluster.remove(names.shift() ?? "");
            cluster.look(looks);
          }
          cluster.look(120);
          const { loads, handedOver } = cluster;
          expect(loads.reduce((sum, load) => sum + load, 0)).toBe(deployments);
          expect((loads.at(-1) ?? 0) - (loads[0] ?? 0)).toBeLessThanOrEqual(1);
          cluster.look(20);
          expect([cluster.loads, cluster.handedOver]).toEqual([loads, handedOver]);
        },
      ),
      { numRuns: 50 },
    );
  });
});
