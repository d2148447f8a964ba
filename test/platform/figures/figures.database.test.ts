import { beforeEach, describe, expect, it } from "vitest";
import { allMeters } from "../../../src/base/meters.js";
import type { HostedChange, HostedStatus, Hosting } from "../../../src/hosting/engine.js";
import { prune, readFigures, rollUp } from "../../../src/platform/figures/figure-rows.js";
import { ownQueriesSince } from "../../../src/platform/figures/own-queries.js";
import { rangeOf } from "../../../src/platform/figures/ranges.js";
import { readHistory } from "../../../src/platform/figures/read-history.js";
import { FigureRecorder } from "../../../src/platform/figures/recorder.js";
import { readServer } from "../../../src/platform/metrics/read-server.js";
import { createServerMetrics } from "../../../src/platform/metrics/server-metrics.js";
import { createProject } from "../../../src/platform/people/projects.js";
import type { Platform } from "../../../src/platform/platform.js";
import { addVersion } from "../../../src/platform/subgraphs/versions.js";
import { type Database, DatabaseError, SQL } from "../../../src/store/database/database.js";
import { describeDatabase, world } from "../../support/database/databases.js";
import { readExposition, sampleValue } from "../../support/server/exposition.js";

const minute = 60_000;
const hour = 60 * minute;
/** The beginning of five minutes. */
const start = 1_795_000_200_000;
const healthy: HostedStatus = {
  health: "healthy",
  isSynced: true,
  nonFatalErrors: [],
  startBlock: 1,
  headBlock: 1_000_000_000,
  headTimestamp: start / 1000 - 36,
  chainHeadBlock: 1_000_000_003,
};
const indexing = { ...healthy, handlersPerSecond: 4 };
const failed = (failedAt: number): HostedStatus => ({
  ...healthy,
  health: "failed",
  fatalError: { message: "division by zero", failedAt },
});

describeDatabase("The figures of deployments", false, (databases) => {
  let database: Database;
  let now: number;

  beforeEach(async () => {
    database = await databases.fresh();
    now = start;
    await createProject(database, { id: "project_1", name: "First" });
    const build = {
      project: "project_1",
      bundle: new Uint8Array([1]),
      network: "mainnet",
      engine: "embedded",
    };
    for (const name of ["pools", "names"])
      await database.transaction((sql) =>
        addVersion(sql, { ...build, name, version: "1.0.0", deployment: `Qm${name}`, description: null }),
      );
  });

  /** A server whose engine reports what a test sets. */
  function server(statuses: Record<string, HostedStatus>, over: Partial<Database> = {}) {
    let isSilent = false;
    const hearers: ((change: HostedChange) => void)[] = [];
    const hosting = {
      engines: [
        {
          name: "embedded",
          networks: ["mainnet"],
          status: async () => {
            if (isSilent) throw new Error("the engine does not answer");
            return new Map(Object.entries(statuses));
          },
          nodes: async () => [{ network: "mainnet", isUp: true, head: 1, headAt: start }],
        },
      ],
      onChange: (hear: (change: HostedChange) => void) => {
        hearers.push(hear);
        return () => undefined;
      },
    } as unknown as Hosting;
    const recorder = new FigureRecorder();
    const metrics = createServerMetrics();
    const used = {
      ...database,
      query: database.query.bind(database),
      transaction: database.transaction.bind(database),
      ...over,
    };
    const platform = { database: used, hosting, world: { ...world, now: () => now } } as unknown as Platform;
    recorder.start(platform);
    return {
      recorder,
      statuses,
      meters: allMeters([recorder.meters, metrics.meters]),
      /** What `/metrics` says to the key that sees everything. */
      exposed: async () => {
        const log = { warn: () => undefined };
        const text = await metrics.text(await readServer(platform, { kind: "all" }, log), { kind: "all" });
        return readExposition(text);
      },
      tell: (change: HostedChange) => hearers.forEach((hear) => void hear(change)),
      /** Measures four times in each of some minutes. */
      async run(minutes: number) {
        for (let count = 0; count < minutes * 4; count += 1) {
          await recorder.measureNow(platform);
          now += minute / 4;
        }
        await recorder.measureNow(platform);
      },
      /** Lets the engine answer, or fail to. */
      silence: (isNow: boolean) => {
        isSilent = isNow;
      },
      stop: () => recorder.stop(platform),
    };
  }
  const names = (deployment: string) => ({ name: `${deployment.slice(2)}/1.0.0`, network: "mainnet" });
  const written = (deployment = "Qmpools", minutes = 60, step = minute) =>
    readFigures(database, deployment, { from: start, to: start + minutes * minute, step });

  it("figures are one row for each minute, with what the engine reported and the queries that were answered", async () => {
    const one = server({ Qmpools: indexing });
    one.recorder.meters.queried("Qmpools", "memory", 0.01);
    one.recorder.meters.queried("Qmpools", "shared", 0.01);
    one.recorder.meters.queried("Qmpools", "engine", 0.01);
    await one.run(2);
    expect(await written()).toEqual([
      {
        at: start,
        minutes: 1,
        state: "synced",
        block: 1_000_000_000,
        chainBlock: 1_000_000_003,
        lagBlocks: 3,
        lagSeconds: 36,
        eventsPerSecond: 4,
        fromMemory: 2,
        fromEngine: 1,
        refused: 0,
        failed: 0,
        p50: 11,
        p95: 11,
      },
      expect.objectContaining({ at: start + minute, fromMemory: 0 }),
    ]);
    expect(await written("Qmnames")).toEqual([]);
    expect(one.recorder.recent("Qmpools").map(({ at }) => (at - start) / minute)).toEqual([0, 1, 2]);
    await one.stop();
  });

  it("figures are the same as in the metrics at the same time", async () => {
    const one = server({ Qmpools: indexing, Qmnames: { ...healthy, health: "failed", headBlock: 7 } });
    const asked = { memory: 5, shared: 4, engine: 3, refused: 2, failed: 1 } as const;
    for (const [from, count] of Object.entries(asked))
      for (let each = 0; each < count; each += 1)
        one.meters.queried("Qmpools", from as keyof typeof asked, 0.02);
    await one.run(1);
    const samples = await one.exposed();
    const told = (deployment: string, name: string, labels = {}) =>
      sampleValue(samples, `graphloom_${name}`, { deployment, ...labels });
    for (const deployment of ["Qmpools", "Qmnames"]) {
      const [figure] = await written(deployment);
      const ofDeployment = (name: string) => told(deployment, `deployment_${name}`, names(deployment));
      expect(figure).toMatchObject({
        block: ofDeployment("head_block"),
        chainBlock: ofDeployment("chain_head_block"),
        lagBlocks: ofDeployment("lag_blocks"),
        lagSeconds: ofDeployment("lag_seconds"),
      });
      expect(figure?.eventsPerSecond).toBe(ofDeployment("handlers_per_second"));
      expect(Number(figure?.state === "failed")).toBe(ofDeployment("failed"));
    }
    const queries = (from: string) => told("Qmpools", "queries_total", { answered_by: from });
    expect((await written())[0]).toMatchObject({
      fromMemory: Number(queries("memory")) + Number(queries("shared")),
      fromEngine: queries("engine"),
      refused: queries("refused"),
      failed: queries("failed"),
    });
    expect((await written())[0]).toMatchObject({ fromMemory: 9, fromEngine: 3, refused: 2, failed: 1 });
  });

  it("figures contain the times of the slowest minute and server, and none of unanswered queries", async () => {
    const servers = [server({ Qmpools: indexing }), server({ Qmpools: healthy })];
    for (const [at, one] of servers.entries()) {
      const { meters } = one.recorder;
      for (let each = 0; each < 10; each += 1) meters.queried("Qmpools", "memory", 0.001);
      for (let each = 0; each < 9; each += 1) meters.queried("Qmpools", "engine", at === 0 ? 0.5 : 1);
      meters.queried("Qmpools", "refused", 30);
      meters.queried("Qmpools", "failed", 30);
    }
    const begun = now;
    for (const one of servers) {
      now = begun;
      await one.run(1);
    }
    const [figure] = await written();
    expect([figure?.p50, figure?.p95]).toEqual([1, 1_024]);
    expect(await written("Qmpools", 5, 5 * minute)).toMatchObject([{ p50: 1, p95: 1_024, failed: 2 }]);
  });

  it("figures come from the server that indexes the deployment, and count the queries of all", async () => {
    const owner = server({ Qmpools: { ...indexing, headBlock: 1_000_000_002 } });
    const other = server({
      Qmpools: { ...healthy, nodeState: { kind: "away", why: "away" } },
      Qmnames: healthy,
    });
    owner.recorder.meters.queried("Qmpools", "engine", 0.01);
    other.recorder.meters.queried("Qmpools", "refused", 0.01);
    const begun = now;
    for (const each of [owner, other]) {
      now = begun;
      await each.run(1);
    }
    const [figure] = await written();
    expect(figure).toMatchObject({ state: "synced", lagBlocks: 1, fromEngine: 1, refused: 1 });
    // Nobody indexes it, so that any server may say what is known.
    expect(await written("Qmnames")).toMatchObject([{ state: "synced", lagBlocks: 3 }]);
    now = begun;
    const later = server({ Qmpools: healthy });
    later.recorder.meters.queried("Qmpools", "engine", 0.01);
    await later.run(1);
    expect(await written()).toMatchObject([{ lagBlocks: 1, fromEngine: 2 }]);
  });

  it("figures have a gap while a server is down, and a mark where the next one begins to index", async () => {
    const first = server({ Qmpools: indexing });
    await first.run(1);
    await first.stop();
    now += 4 * minute;
    const next = server({ Qmpools: indexing });
    await next.run(2);
    const minutes = next.recorder.recent("Qmpools").map(({ at }) => (at - start) / minute);
    expect(minutes).toEqual([0, 1, 5, 6, 7]);
    const version = { project: "project_1", name: "pools", deployment: "Qmpools" };
    const { marks } = await readHistory(database, version, rangeOf("1h"), now);
    expect(marks.filter(({ kind }) => kind !== "deploy")).toEqual([
      { kind: "restart", at: start + 5 * minute, count: 1 },
    ]);
  });

  it("figures have no mark if an engine fails to answer for a while", async () => {
    const one = server({ Qmpools: indexing });
    await one.run(1);
    one.silence(true);
    await one.run(1);
    one.silence(false);
    await one.run(1);
    const version = { project: "project_1", name: "pools", deployment: "Qmpools" };
    const { marks } = await readHistory(database, version, rangeOf("1h"), now);
    expect(marks.filter(({ kind }) => kind !== "deploy")).toEqual([]);
  });

  it("figures have marks for reorganisations and failures", async () => {
    const one = server({ Qmpools: indexing });
    await one.run(1);
    one.tell({ deployment: "Qmpools", headBlock: 120 });
    one.tell({ deployment: "Qmpools" });
    one.tell({ deployment: "Qmpools", headBlock: 117, reverted: 3 });
    one.tell({ deployment: "Qmpools", headBlock: 121 });
    // Begun anew, from before a block that has failed.
    one.tell({ deployment: "Qmpools", headBlock: 119 });
    one.statuses.Qmpools = failed(start + minute + 1_234);
    await one.run(2);
    const version = { project: "project_1", name: "pools", deployment: "Qmpools" };
    const { marks } = await readHistory(database, version, rangeOf("1h"), now);
    expect(marks.filter(({ kind }) => kind !== "deploy")).toEqual([
      { kind: "reorganisation", at: start + minute, count: 1, blocks: 3 },
      { kind: "failure", at: start + minute + 1_234, count: 1 },
    ]);
  });

  it("figures have a mark for each failure, also for the first event, from any server and any number of reports", async () => {
    const failures = async (): Promise<readonly (readonly [minutes: number, count: number])[]> => {
      const version = { project: "project_1", name: "pools", deployment: "Qmpools" };
      const { marks } = await readHistory(database, version, rangeOf("1h"), now);
      return marks.flatMap(({ kind, at, count }) =>
        kind === "failure" ? [[(at - start) / minute, count]] : [],
      );
    };
    const both = [server({ Qmpools: failed(start + 6_000) }), server({ Qmpools: failed(start + 6_000) })];
    const begun = now;
    for (const each of both) {
      now = begun;
      await each.run(3);
      await each.stop();
    }
    const next = server({ Qmpools: failed(start + 6_000) });
    await next.run(1);
    expect(await failures()).toEqual([[0.1, 1]]);
    // It is tried again and fails again, between two measurements.
    next.statuses.Qmpools = failed(start + 3 * minute + 30_000);
    await next.run(1);
    expect(await failures()).toEqual([
      [0.1, 1],
      [3.5, 1],
    ]);
  });

  it("figures have one mark for a failure whose time the engine does not report", async () => {
    const version = { project: "project_1", name: "pools", deployment: "Qmpools" };
    const failures = async (): Promise<readonly number[]> => {
      const { marks } = await readHistory(database, version, rangeOf("1h"), now);
      return marks.flatMap(({ kind, at }) => (kind === "failure" ? [(at - start) / minute] : []));
    };
    const timeless = { ...healthy, health: "failed" } as const;
    const first = server({ Qmpools: timeless });
    await first.run(2);
    await first.stop();
    now += 20 * minute;
    const next = server({ Qmpools: timeless });
    await next.run(2);
    expect(await failures()).toEqual([0]);
    next.statuses.Qmpools = healthy;
    await next.run(2);
    next.statuses.Qmpools = timeless;
    await next.run(2);
    expect(await failures()).toEqual([0, 26]);
  });

  it("figures have one mark for a reorganisation that several servers report, because none of them indexes the deployment", async () => {
    const servers = [
      server({ Qmpools: healthy }),
      server({ Qmpools: healthy }),
      server({ Qmpools: healthy }),
    ];
    for (const each of servers) await each.run(0);
    const seen = async (ages: readonly number[], heads: readonly number[]) => {
      const begun = now;
      for (const [at, each] of servers.entries()) {
        now = begun + (ages[at] ?? 0);
        const headBlock = heads[at] ?? 0;
        each.tell({ deployment: "Qmpools", headBlock, reverted: 120 - headBlock, isShared: true });
        await each.stop();
      }
      const version = { project: "project_1", name: "pools", deployment: "Qmpools" };
      const { marks } = await readHistory(database, version, rangeOf("1h"), now);
      return marks.filter(({ kind }) => kind === "reorganisation");
    };
    now = start + minute;
    // The last one notices it in the next minute.
    const one = { kind: "reorganisation", at: start + minute, count: 1, blocks: 4 };
    expect(await seen([57_000, 59_000, 61_000], [118, 116, 117])).toEqual([one]);
  });

  it("figures continue when the clock is set back", async () => {
    const one = server({ Qmpools: indexing });
    await one.run(2);
    now -= 30 * minute;
    one.recorder.meters.queried("Qmpools", "engine", 0.01);
    await one.run(2);
    const figures = await readFigures(database, "Qmpools", {
      from: start - hour,
      to: start + hour,
      step: minute,
    });
    expect(figures.map(({ at }) => (at - start) / minute)).toEqual([-28, -27, 0, 1, 2]);
    expect(
      one.recorder
        .recent("Qmpools")
        .map(({ at }) => (at - start) / minute)
        .slice(-3),
    ).toEqual([-28, -27, -26]);
    await one.stop();
  });

  it("figures have a gap while the database is unreachable, and keep earlier counts", async () => {
    let isAway = false;
    const query: Database["query"] = (...asked) =>
      isAway ? Promise.reject(new DatabaseError("away")) : database.query(...asked);
    const one = server({ Qmpools: indexing }, { query });
    await one.run(1);
    isAway = true;
    one.recorder.meters.queried("Qmpools", "memory", 0.01);
    await one.run(2);
    isAway = false;
    await one.run(1);
    const states = (await written()).map(({ at, state, fromMemory }) => [
      (at - start) / minute,
      state,
      fromMemory,
    ]);
    // The first minute of the outage was measured once before it.
    expect(states).toEqual([
      [0, "synced", 0],
      [1, "synced", 1],
      [3, "synced", 0],
    ]);
  });

  describe("of a build that another project deploys too", () => {
    const query = (one: ReturnType<typeof server>, count: number) => {
      for (let each = 0; each < count; each += 1) one.recorder.meters.queried("Qmpools", "engine", 0.01);
    };
    const since = async (project: string) => (await ownQueriesSince(database, project)).get("Qmpools");
    const seenBy = async (project: string) => {
      const version = { project, name: "pools", deployment: "Qmpools" };
      return (await readHistory(database, version, rangeOf("1h"), now)).queriesSince;
    };
    /** When the second project deploys it, in seconds since 1970. */
    const laterAt = 2_000_000_000;
    const share = async () => {
      await createProject(database, { id: "project_2", name: "Second" });
      await database.transaction((sql) =>
        addVersion(sql, {
          project: "project_2",
          bundle: new Uint8Array([1]),
          network: "mainnet",
          engine: "embedded",
          name: "pools",
          version: "1.0.0",
          deployment: "Qmpools",
          description: null,
        }),
      );
      await database.query(
        SQL`update graphloom.versions set created_at = to_timestamp($1::bigint) where project = 'project_2'`,
        [String(laterAt)],
      );
    };

    it("do not count queries while two projects share the build, and do not show them to either", async () => {
      const one = server({ Qmpools: indexing });
      query(one, 7);
      await one.run(1);
      expect([await since("project_1"), await seenBy("project_1")]).toEqual([0, 0]);
      await share();
      query(one, 5);
      await one.run(1);
      for (const project of ["project_1", "project_2"])
        expect([await since(project), await seenBy(project)]).toEqual([undefined, undefined]);
      expect(await written()).toMatchObject([{ fromEngine: 7 }, { fromEngine: 0, state: "synced" }]);
    });

    it("show its queries to the remaining project, from its deployment on", async () => {
      await share();
      await database.query(
        SQL`delete from graphloom.versions where project = 'project_1' and name = 'pools'`,
      );
      expect([await since("project_2"), await seenBy("project_2")]).toEqual([laterAt * 1000, laterAt * 1000]);
      expect(await since("project_1")).toBeUndefined();
    });
  });

  it("figures become rows of five minutes, which stay when the minutes are deleted after a day", async () => {
    const one = server({ Qmpools: indexing });
    await one.run(2);
    one.statuses.Qmpools = { ...indexing, health: "failed", headBlock: 999_999_990 };
    one.recorder.meters.queried("Qmpools", "engine", 0.01);
    await one.run(4);
    const fives = await written("Qmpools", 10, 5 * minute);
    expect(fives).toMatchObject([
      { at: start, minutes: 5, state: "failed", lagBlocks: 13, fromEngine: 1 },
      { at: start + 5 * minute, minutes: 1 },
    ]);
    // Again, and with only some of the minutes left, it is the same.
    const dayLater = start + 24 * 60 * minute + 2 * minute;
    await prune(database, dayLater);
    expect(await written()).toHaveLength(4);
    await rollUp(database, dayLater - 24 * 60 * minute);
    expect(await written("Qmpools", 10, 5 * minute)).toEqual(fives);
    await prune(database, start + 32 * 24 * 60 * minute);
    expect(await written("Qmpools", 10, 5 * minute)).toEqual([]);
  });

  it("figures end with their build", async () => {
    const one = server({ Qmpools: indexing });
    await one.run(1);
    await database.query(SQL`delete from graphloom.versions where name = 'pools'`);
    await database.query(SQL`delete from graphloom.builds where deployment = 'Qmpools'`);
    await one.run(1);
    expect(await written()).toEqual([]);
    expect(one.recorder.recent("Qmpools")).toEqual([]);
    // Its last minute is dropped, and the others are written.
    one.statuses.Qmnames = indexing;
    await one.run(1);
    expect(await written("Qmnames")).toHaveLength(1);
  });
});
