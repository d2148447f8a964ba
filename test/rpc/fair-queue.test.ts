import { describe, expect, it } from "vitest";
import type { Asker, AskerKind } from "../../src/rpc/asker.js";
import { FairQueue, type NodeLimits } from "../../src/rpc/fair-queue.js";
import { realWorld } from "../support/worlds.js";
import { askerNamed } from "./asker-named.js";

const never = new AbortController().signal;

/** A clock that only waiting moves, and that moves at once. */
function stillWorld() {
  let now = 0;
  return {
    now: () => now,
    timeout: (milliseconds: number) => {
      now += milliseconds;
      const late = new AbortController();
      queueMicrotask(() => late.abort());
      return late.signal;
    },
  };
}

/** A queue whose turns end when the test says so, and whose turns are noted. */
function heldQueue(limits: NodeLimits = {}) {
  const queue = new FairQueue(limits, realWorld, never);
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const take = (asker: Asker, signal?: AbortSignal, requests = 1): Promise<string | undefined> =>
    queue.take(
      asker,
      () => {
        begun.push(asker.project);
        return { requests, result: new Promise((resolve) => ends.push(() => resolve(asker.project))) };
      },
      signal,
    );
  return { queue, begun, take, ends, end: () => ends.shift()?.() };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const ofKind = (kind: AskerKind, project: string = kind, name = ""): Asker => ({ kind, project, name });

/** Spends a budget while everybody waits, and returns how many requests each project was granted. */
async function shared(
  waiting: readonly { readonly asker: Asker; readonly requests: number; readonly turns: number }[],
  granted: number,
): Promise<ReadonlyMap<string, number>> {
  const queue = new FairQueue({ requestsPerSecond: 1 }, stillWorld(), never);
  const got = new Map<string, number>();
  let all = 0;
  // Uses up what may be sent at once, so that all others are waiting before the first of them has a turn.
  queue.spend(2);
  const done = waiting.flatMap(({ asker, requests, turns }) =>
    Array.from({ length: turns }, () =>
      queue.take(asker, () => {
        if (all < granted) got.set(asker.project, (got.get(asker.project) ?? 0) + requests);
        all += requests;
        return { requests, result: Promise.resolve() };
      }),
    ),
  );
  await Promise.all(done);
  return got;
}

describe("turns at a network's nodes", () => {
  it("callers take turns, even if one of them sends many requests", async () => {
    const { begun, take, ends, end } = heldQueue({ places: { edge: 1 } });
    for (const name of [..."aaaaa", ..."bb", "c"]) void take(askerNamed(name));
    while (ends.length > 0) {
      end();
      await settled();
    }
    // The first request does not wait.
    expect(begun.join("")).toBe("aabcabaa");
  });

  it("projects take turns before their pipelines do", async () => {
    const { begun, take, ends, end } = heldQueue({ places: { pipelines: 1 } });
    for (const name of "abcdef") void take(ofKind("pipelines", "many", name));
    void take(ofKind("pipelines", "one", "a"));
    void take(ofKind("pipelines", "one", "a"));
    while (ends.length > 0) {
      end();
      await settled();
    }
    // The first request does not wait.
    expect(begun.slice(0, 6)).toEqual(["many", "many", "one", "many", "one", "many"]);
  });

  it("slow requests of other kinds leave indexing all of its places", () => {
    const { begun, take } = heldQueue();
    for (let turn = 0; turn < 100; turn++)
      for (const kind of ["edge", "pipelines", "datasets"] as const) void take(ofKind(kind));
    begun.length = 0;
    for (let turn = 0; turn < 100; turn++) void take(ofKind("indexing"));
    expect(begun).toEqual(Array.from({ length: 8 }, () => "indexing"));
  });

  it("a budget goes to indexing first, then to pipelines and datasets, and to edge clients last", async () => {
    const kinds = ["edge", "datasets", "pipelines", "indexing"] as const;
    const got = await shared(
      kinds.map((kind) => ({ asker: ofKind(kind), requests: 1, turns: 200 })),
      140,
    );
    expect(kinds.map((kind) => got.get(kind))).toEqual([10, 20, 30, 80]);
  });

  it("a project gets no more of a budget for asking in large batches or under many names", async () => {
    const got = await shared(
      [
        { asker: ofKind("edge", "large"), requests: 50, turns: 40 },
        ...[..."abcdefghij"].map((name) => ({
          asker: ofKind("edge", "many", name),
          requests: 1,
          turns: 100,
        })),
        { asker: ofKind("edge", "small"), requests: 1, turns: 1_000 },
      ],
      900,
    );
    for (const project of ["large", "many", "small"]) {
      expect(got.get(project)).toBeGreaterThanOrEqual(250);
      expect(got.get(project)).toBeLessThanOrEqual(350);
    }
  });

  it("a kind that had no place for a while takes no more than its share afterwards", async () => {
    const { queue, begun, take, ends } = heldQueue({ places: { edge: 1, indexing: 1 } });
    for (let turn = 0; turn < 50; turn++) void take(ofKind("edge"));
    for (let turn = 0; turn < 200; turn++) void take(ofKind("indexing"));
    const [stuck, ...rest] = ends.splice(0);
    for (let turn = 0; turn < 100; turn++) {
      for (const end of [...rest.splice(0), ...ends.splice(0)]) end();
      await settled();
    }
    expect(begun.filter((kind) => kind === "edge")).toEqual(["edge"]);
    expect(begun.length).toBeGreaterThan(50);
    begun.length = 0;
    stuck?.();
    for (let turn = 0; turn < 20; turn++) {
      for (const end of ends.splice(0)) end();
      await settled();
    }
    expect(begun.filter((kind) => kind === "indexing").length).toBeGreaterThanOrEqual(19);
    expect(queue.waiting).toBeGreaterThan(0);
  });

  it("a caller that leaves takes only its own waiting requests along", async () => {
    const { queue, begun, take, end } = heldQueue({ places: { edge: 1 } });
    const leaving = new AbortController();
    const sent = take(askerNamed("leaves"), leaving.signal);
    const waiting = take(askerNamed("leaves"), leaving.signal);
    const other = take(askerNamed("stays"));
    leaving.abort();
    expect(await waiting).toBeUndefined();
    expect(await take(askerNamed("leaves"), leaving.signal)).toBeUndefined();
    expect(queue.waiting).toBe(1);
    end();
    expect(await sent).toBe("leaves");
    end();
    expect(await other).toBe("stays");
    expect(begun).toEqual(["leaves", "stays"]);
  });

  it("a turn that needs no request takes neither a place nor the budget", async () => {
    const { queue, take } = heldQueue({ places: { edge: 1 } });
    void take(askerNamed("slow"), never, 0);
    void take(askerNamed("slow"), never, 0);
    expect(queue.waiting).toBe(0);
  });
});

describe("the budget of a network's nodes", () => {
  it.each([
    [100, 50],
    [2, 1],
    [0.5, 1],
  ])("%d requests per second are kept to", async (rate, batch) => {
    const world = stillWorld();
    const queue = new FairQueue({ requestsPerSecond: rate }, world, never);
    let sent = 0;
    const begin = () => {
      sent += batch;
      return { requests: batch, result: Promise.resolve() };
    };
    await Promise.all(Array.from({ length: 10 }, () => queue.take(askerNamed("a"), begin)));
    // What may be sent at once, and the rest at the rate.
    const atOnce = Math.max(1, rate);
    const seconds = world.now() / 1000;
    expect(sent).toBeLessThanOrEqual(atOnce + seconds * rate + batch);
    expect(seconds).toBeLessThanOrEqual(((10 * batch) / rate) * 1.1);
  });

  it("requests that are sent without a turn count, too", async () => {
    const world = stillWorld();
    const queue = new FairQueue({ requestsPerSecond: 10 }, world, never);
    queue.spend(30);
    await queue.take(askerNamed("a"), () => ({ requests: 1, result: Promise.resolve() }));
    expect(world.now()).toBeGreaterThanOrEqual(2_000);
  });

  it("waiting requests end when the server closes", async () => {
    const closing = new AbortController();
    const queue = new FairQueue({ requestsPerSecond: 0.001 }, realWorld, closing.signal);
    queue.spend(1_000);
    const waiting = queue.take(askerNamed("a"), () => ({ requests: 1, result: Promise.resolve("ended") }));
    closing.abort();
    expect(await waiting).toBe("ended");
  });
});
