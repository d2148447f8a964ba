import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { Report } from "../../../src/compiler/diagnostics/report.js";
import { createNodeWorld } from "../../../src/machine/world.js";
import type { IntegerForm } from "../../../src/pipelines/flink/column-types.js";
import type { JobState } from "../../../src/pipelines/flink/job/job-driver.js";
import type { KeptJob } from "../../../src/pipelines/flink/job/kept-job.js";
import { splitPipeline } from "../../../src/pipelines/flink/split-pipeline.js";
import { topicPipeline, topicSecret } from "../../../src/pipelines/flink/topic-pipeline.js";
import {
  type FlinkEnd,
  type FlinkRun,
  type FlinkWorld,
  runOnFlink,
} from "../../../src/pipelines/host/flink/run-on-flink.js";
import type { PipelinePlan } from "../../../src/pipelines/plan/pipeline-plan.js";
import { runSinks } from "../../../src/pipelines/runner/run-sinks.js";
import type { Source } from "../../../src/pipelines/sources/source.js";
import { standardSql } from "../../../src/pipelines/sql/standard-sql.js";
import { openForeignDatabase } from "../../../src/store/open.js";
import { postgresMissing } from "../../support/database/postgres-server.js";
import { useFolder } from "../../support/folder.js";
import { flinkPipeline, liveSource } from "../../support/pipelines/flink-pipeline.js";
import { openEngine } from "../../support/pipelines/law-pipeline.js";
import { agreeingExpressions } from "../../support/pipelines/lexer-corpus.js";
import { feedSource, PlayedFeed, type Thing } from "../../support/pipelines/played-feed.js";
import { PlayedChain, playedSource } from "../../support/pipelines/played-source.js";
import { randomOf } from "../../support/pipelines/random.js";
import { sinkWorld } from "../../support/pipelines/sink-world.js";
import { flinkMissing } from "../../support/servers/flink.js";
import {
  addressOf,
  type FlinkPlaces,
  ordered,
  startFlinkPlaces,
} from "../../support/servers/flink-places.js";
import { kafkaMissing, openTestKafka } from "../../support/servers/kafka-client.js";
import { until } from "../../support/until.js";
import { servedFlinkTests } from "./served-flink.js";

const missing = flinkMissing ?? kafkaMissing ?? postgresMissing;
const folder = useFolder();
const world = createNodeWorld();

describe.skipIf(missing !== undefined)(`a flow on Kafka and Flink${missing ? `: ${missing}` : ""}`, () => {
  let places: FlinkPlaces;
  /** Of the database, for programs that do not know sockets of this machine. */
  let address: string;

  beforeAll(async () => {
    places = await startFlinkPlaces();
    address = addressOf(places.port, "postgres");
  });
  afterAll(() => places?.stop());

  /** Ends the runs that a test has started. */
  const stops: (() => Promise<unknown>)[] = [];
  // A failed test must not leave a job that the next one would count.
  afterEach(async () => {
    await Promise.allSettled(stops.splice(0).map((stop) => stop()));
    await places.cancelAll();
  });

  const rowsOf = (table: string): Promise<readonly string[]> => places.rowsOf(table);

  /** Jobs as they are kept, by flow. */
  const kept = new Map<string, KeptJob>();

  function flinkWorld(sources: Readonly<Record<string, Source>>): FlinkWorld {
    return {
      ...sinkWorld({ folder, secrets: { DB: address } }),
      clock: world,
      openDatabase: (given) => openForeignDatabase(given, world),
      openKafka: (given) => openTestKafka(given),
      openEngine,
      openSource: ({ name }) => sources[name] as Source,
      openKeptJob: async (flow) => ({
        get kept() {
          return kept.get(flow);
        },
        keep: async (job) => void kept.set(flow, job),
        close: () => undefined,
      }),
    };
  }

  function runOf(plan: PipelinePlan, integers: IntegerForm): FlinkRun {
    const report = new Report();
    const flow = splitPipeline(plan, integers, report);
    if (!flow) throw new Error(report.diagnostics.map(({ message }) => message).join("\n"));
    return {
      flow,
      integers,
      from: "last",
      gateway: places.flink.gateway,
      kafka: JSON.stringify({ bootstrapServers: places.kafka.address }),
    };
  }

  /**
   * A run that goes on until it is stopped, at the latest when its test has ended.
   * @param hurry how many times as often the job is looked at
   */
  function started(
    plan: PipelinePlan,
    sources: (signal: AbortSignal) => Readonly<Record<string, Source>>,
    { integers = "string", hurry = 1, cluster, gateway }: RunOptions = {},
  ): { readonly states: readonly JobState[]; readonly ended: Promise<FlinkEnd>; stop(): Promise<FlinkEnd> } {
    const stopping = new AbortController();
    const states: JobState[] = [];
    const running = runOnFlink(
      { ...runOf(plan, integers), ...(gateway !== undefined && { gateway }) },
      {
        ...flinkWorld(sources(stopping.signal)),
        ...(cluster && { cluster }),
        clock: hurried(hurry),
      },
      { onSink: () => undefined, onJob: (state) => states.push(state) },
      stopping.signal,
    );
    running.catch(() => undefined);
    const stop = (): Promise<FlinkEnd> => {
      stopping.abort();
      return running;
    };
    stops.push(stop);
    return { states, ended: running, stop };
  }

  it("writes the same tables as our runner, including rows that were deleted again, integers of 256 bits, and texts that the two lexers read differently", async () => {
    const chain = new PlayedChain(randomOf(7));
    const feed = new PlayedFeed(randomOf(8));
    const columns = agreeingExpressions.map(
      (one, index) => `CAST((${standardSql(one)}\n) AS VARCHAR) AS c${index}`,
    );
    const queries = [
      {
        name: "chosen",
        sql: `SELECT id, block_number, who, amount FROM played WHERE who <> 'c'
          UNION ALL SELECT owner || ':' || id, version, 'few', amount FROM things`,
        key: ["id"],
      },
      {
        name: "computed",
        sql: `SELECT id, amount, amount > block_number AS more, -amount AS negated,
          CASE WHEN amount BETWEEN 10 AND CAST('1${"0".repeat(40)}' AS BIGNUM) THEN amount ELSE -1 END AS chosen,
          TRY_CAST(amount AS DECIMAL(38, 0)) AS narrow FROM chosen`,
        key: ["id"],
      },
      { name: "lexed", sql: `SELECT id, ${columns.join(", ")} FROM played`, key: ["id"] },
    ];
    const planOf = (name: string): Promise<PipelinePlan> => {
      const tables = ["computed", "lexed"].map((from) => ({ from, table: `${from}_${name}` }));
      return flinkPipeline(name, { queries, tables, job: true });
    };
    const [ours, theirs] = [await planOf("ours"), await planOf("theirs")];
    const never = new AbortController().signal;
    const run = runOf(theirs, "string");
    const change = (): void => {
      for (let count = 0; count < 20; count += 1) chain.mine();
      for (let count = 0; count < 10; count += 1) feed.change();
    };
    const opened = (): FlinkWorld => flinkWorld({ played: playedSource(chain), things: feedSource(feed) });
    const written = async (plan: PipelinePlan): Promise<void> => {
      const secret = (name: string) => (name === topicSecret ? run.kafka : address);
      const ends = await runSinks(plan, { ...opened(), secret }, () => undefined, never);
      expect(new Set([...ends.values()].map(({ kind }) => kind))).toEqual(new Set(["ended"]));
    };
    change();
    await written(ours);
    await written(topicPipeline(run.flow, run.integers));
    change();
    chain.reorganise(12);
    await written(ours);
    const states: JobState[] = [];
    const listener = { onSink: () => undefined, onJob: (state: JobState) => void states.push(state) };
    const end = await runOnFlink(run, opened(), listener, never);
    if (end.job.kind === "halted") throw end.job.error;
    expect({ job: end.job, states }).toMatchObject({ job: { kind: "finished" } });
    const expected = await rowsOf("computed_ours");
    expect(expected.length).toBeGreaterThan(20);
    expect(await rowsOf("computed_theirs")).toEqual(expected);
    // Flink writes TRUE where DuckDB writes true.
    const lower = (rows: readonly string[]): readonly string[] => rows.map((row) => row.toLowerCase()).sort();
    const lexed = lower(await rowsOf("lexed_ours"));
    expect(lexed.length).toBeGreaterThan(3);
    expect(lower(await rowsOf("lexed_theirs"))).toEqual(lexed);
  });

  it("names an integer that does not fit into a Flink number, and ends", async () => {
    const feed = new PlayedFeed(randomOf(11));
    feed.entries.push({ minus: [], plus: [["more", "me", String(-(10n ** 38n)), 0n]] });
    const queries = [{ name: "kept", sql: "SELECT id, amount FROM things", key: ["id"] }];
    const tables = [{ from: "kept", table: "guarded" }];
    const plan = await flinkPipeline("guarded", { queries, tables, job: false });
    const run = started(plan, (signal) => ({ things: liveSource(feedSource(feed), signal) }), {
      integers: "decimal",
      hurry: 10,
      gateway: "http://127.0.0.1:1",
    });
    const { sinks, job } = await run.ended;
    expect([...sinks.values()]).toEqual([
      {
        kind: "halted",
        error: expect.objectContaining({
          message: expect.stringMatching(
            /^Row id=more of things 0 is refused: column amount: -10{38} has 39 digits, and Flink's numbers have at most 38\. Leave such rows out with a filter of the source, or run the pipeline with --integers string\.$/,
          ),
        }),
      },
    ]);
    expect(job).toMatchObject({ kind: "halted", mayRun: true });
    const cluster = await openTestKafka({ brokers: [places.kafka.address], isTls: false });
    expect((await cluster.ranges("guarded.things")).map(({ next }) => next)).toEqual([0n]);
    await cluster.close();
  });

  it("computes sums and joins that our runner refuses, also after a lost worker or a changed sink, and reports lost state", async () => {
    const chain = new PlayedChain(randomOf(9));
    const feed = new PlayedFeed(randomOf(10));
    const large: readonly Thing[] = [2n ** 256n - 1n, 10n ** 60n].map((amount) => [
      `of ${amount}`,
      "me",
      String(amount),
      -1n,
    ]);
    feed.entries.push({ minus: [], plus: [...large] });
    const queries = [
      {
        name: "sums",
        sql: `SELECT owner, COUNT(*) AS things, SUM(amount) AS total, MAX(amount) AS most, MIN(amount) AS least
          FROM things GROUP BY owner`,
        key: ["owner"],
      },
      {
        name: "joined",
        sql: `SELECT p.id AS played, t.id AS thing, p.who, t.amount
          FROM played p JOIN things t ON p.block_number = t.version`,
        key: ["played", "thing"],
      },
    ];
    const planOf = (table: string, batchSize?: number): Promise<PipelinePlan> =>
      flinkPipeline("totals", {
        queries,
        tables: [
          { from: "sums", table: "sums", ...(batchSize !== undefined && { batchSize }) },
          { from: "joined", table },
        ],
        job: false,
      });
    const sources = (signal: AbortSignal): Readonly<Record<string, Source>> => ({
      played: liveSource(playedSource(chain), signal),
      things: liveSource(feedSource(feed), signal),
    });
    const change = (depth: number): void => {
      for (let count = 0; count < 12; count += 1) chain.mine();
      for (let count = 0; count < 12; count += 1) feed.change();
      chain.reorganise(depth);
    };
    const arrived = async (table: string): Promise<void> => {
      await until(async () => (await rowsOf("sums")).join() === sumsOf([...feed.things, ...large]).join());
      await until(async () => (await rowsOf(table)).join() === joinedOf(chain, feed).join());
    };

    change(0);
    const first = started(await planOf("joined"), sources, { hurry: 5 });
    await arrived("joined");
    // Before its first checkpoint, a job that loses its worker forgets what it has written.
    await until(async () => {
      const running = [...(await places.flink.jobs())].flatMap(([id, state]) =>
        state === "RUNNING" ? [id] : [],
      );
      const [job = ""] = running;
      return running.length === 1 && places.flink.checkpoint(job);
    });
    const forgetful = await flinkPipeline("forgotten", {
      queries: [{ name: "kept", sql: "SELECT id, amount FROM things", key: ["id"] }],
      tables: [{ from: "kept", table: "forgotten" }],
      job: false,
    });
    const lost = started(forgetful, (signal) => ({ things: liveSource(feedSource(feed), signal) }), {
      hurry: 5,
      cluster: withoutCheckpoints(flinkWorld({})),
    });
    await until(async () => (await rowsOf("forgotten")).length > 0);
    // It takes long to start a worker, so that both jobs lose the same one.
    await places.flink.killTaskManager();
    change(8);
    await places.flink.startTaskManager();
    await arrived("joined");
    expect(joinedOf(chain, feed).length).toBeGreaterThan(5);
    await until(() => lost.states.some((state) => state.kind === "running" && state.doubt === "lost"));
    await lost.stop();
    expect(first.states.filter((state) => state.kind === "running" && state.doubt)).toEqual([]);
    change(5);
    const { job } = await first.stop();
    expect(job).toEqual({ kind: "paused", savepoint: expect.stringContaining("savepoint") });

    // It goes on where it was stopped, as only its batches are others.
    change(5);
    const second = started(await planOf("joined", 7), sources);
    await arrived("joined");
    const { savepoint } = job as Extract<JobState, { readonly kind: "paused" }>;
    expect(second.states[0]).toEqual({ kind: "starting", savepoint });
    await second.stop();
    expect(await places.active()).toEqual([]);
  });

  it("ends with a reason when its job manager is killed, and the next run continues at the savepoint and reports the lost state", async () => {
    const feed = new PlayedFeed(randomOf(11));
    const plan = await flinkPipeline("survivor", {
      queries: [{ name: "kept", sql: "SELECT id, amount FROM things", key: ["id"] }],
      tables: [{ from: "kept", table: "survivors" }],
      job: false,
    });
    const sources = (signal: AbortSignal) => ({ things: liveSource(feedSource(feed), signal) });
    const change = (): void => {
      for (let count = 0; count < 8; count += 1) feed.change();
    };
    const arrived = (): Promise<true> =>
      until(
        async () =>
          (await rowsOf("survivors")).join() ===
          ordered(feed.things.map(([id, , amount]) => ({ id, amount }))).join(),
      );
    change();
    const first = started(plan, sources, { hurry: 5 });
    await arrived();
    const { job } = await first.stop();
    const { savepoint } = job as Extract<JobState, { readonly kind: "paused" }>;
    change();
    const second = started(plan, sources, { hurry: 5 });
    await arrived();
    await places.flink.replaceJobManager();
    await until(() => second.states.at(-1)?.kind === "halted");
    expect(await second.stop()).toMatchObject({
      job: { kind: "halted", error: { message: expect.stringContaining("does not know the job any more") } },
    });
    change();
    const third = started(plan, sources, { hurry: 5 });
    await arrived();
    await until(() => third.states.some((state) => state.kind === "running" && state.doubt === "lost"));
    expect(third.states[0]).toEqual({ kind: "starting", savepoint });
  });

  describe("run by a server", () => servedFlinkTests(() => places));
});

/** @param hurry how many times as often the job is looked at */
function hurried(hurry: number): typeof world {
  return { ...world, timeout: (time) => AbortSignal.timeout(Math.ceil(time / hurry)) };
}

/** How a run differs from others. */
interface RunOptions {
  readonly integers?: IntegerForm;
  readonly hurry?: number;
  readonly cluster?: FlinkWorld["cluster"];
  readonly gateway?: string;
}

/**
 * A cluster whose jobs make no checkpoint by themselves. Otherwise, Flink makes the first one at a random moment of the
 * first interval; a pause between checkpoints that is longer than the interval also comes before the first one.
 */
function withoutCheckpoints({ openKafka, outgoing }: FlinkWorld): NonNullable<FlinkWorld["cluster"]> {
  const properties = { "execution.checkpointing.min-pause": "1 h" };
  return {
    openKafka,
    outgoing: {
      send: (request) =>
        outgoing.send(
          request.url.endsWith("/v1/sessions")
            ? { ...request, body: JSON.stringify({ properties }) }
            : request,
        ),
    },
  };
}

/** What the sums of things are. */
function sumsOf(things: readonly Thing[]): readonly string[] {
  const owners = new Set(things.map(([, owner]) => owner));
  return ordered(
    [...owners].map((owner) => {
      const amounts = things.flatMap(([, of, amount]) => (of === owner ? [amount] : []));
      const known = amounts.flatMap((amount) => (amount === null ? [] : [BigInt(amount)]));
      const [first, ...more] = known;
      const all = (chosen: (one: bigint, other: bigint) => bigint): string | null =>
        first === undefined ? null : String(more.reduce(chosen, first));
      return {
        owner,
        total: all((one, other) => one + other),
        most: all((one, other) => (one > other ? one : other)),
        least: all((one, other) => (one < other ? one : other)),
        things: String(amounts.length),
      };
    }),
  );
}

/** What the join is of all that a chain and a feed have now. */
function joinedOf(chain: PlayedChain, feed: PlayedFeed): readonly string[] {
  return ordered(
    chain.rows.flatMap((row) =>
      feed.things.flatMap(([thing, , amount, version]) =>
        row.block_number === version ? [{ who: String(row.who), thing, amount, played: String(row.id) }] : [],
      ),
    ),
  );
}
