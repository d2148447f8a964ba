import { execute, parse } from "graphql";
import { createEmbeddedEngine } from "../../../src/hosting/embedded/create-embedded-engine.js";
import type { Engine, HostedError, Hosting } from "../../../src/hosting/engine.js";
import { PublicView } from "../../../src/platform/endpoints/public-view.js";
import { statusAnswers } from "../../../src/platform/endpoints/status/status-answers.js";
import { StatusReader } from "../../../src/platform/endpoints/status/status-reader.js";
import { statusSchema } from "../../../src/platform/endpoints/status/status-schema.js";
import { createProject } from "../../../src/platform/people/projects.js";
import { Problem } from "../../../src/platform/problem.js";
import { checkOnEngine } from "../../../src/platform/subgraphs/check-on-engine.js";
import { createHosting } from "../../../src/platform/subgraphs/create-hosting.js";
import { isShownBy } from "../../../src/platform/subgraphs/shown-builds.js";
import { storedBuild } from "../../../src/platform/subgraphs/stored-build.js";
import { addVersion, setPaused } from "../../../src/platform/subgraphs/versions.js";
import { readQueryBody } from "../../../src/query/query-body.js";
import { Nodes } from "../../../src/rpc/nodes.js";
import type { Database } from "../../../src/store/database/database.js";
import { importEnsNames } from "../../../src/store/deployments/ens-names.js";
import type { LogLine } from "../../../src/store/logs/log-line.js";
import { manifestPath } from "../../../src/subgraph/build.js";
import { BundleError } from "../../../src/subgraph/bundle-error.js";
import { linkBuild } from "../../../src/subgraph/deployment/link-build.js";
import { ReadBuild } from "../../../src/subgraph/runnable/read-build.js";
import { zipBuild } from "../../../src/subgraph/zip-build.js";
import { onPglite } from "../../support/database/databases.js";
import { queryPlatform } from "../../support/server/query-hosting.js";
import { PlayedClock } from "./played-clock.js";
import { type Moment, type RecordedCase, type RecordedStatus, type Sample, sharedFile } from "./recorded.js";
import { StandInNode, standInFiles } from "./stand-in.js";
import { ThreadHere } from "./thread-here.js";

const project = "project_1";
const version = "1.0.0";
const network = "mainnet";
/** Longer than any pause before a retry. */
const hour = 3_600_000;
const modules = new Map<string, Uint8Array>();

/** A platform with the recorded chain, on which cases are played. */
export class Stage {
  readonly #database: Database;
  readonly #clock = new PlayedClock();
  readonly #node = new StandInNode();
  /** The indexing threads, by deployment. */
  #threads = new Map<string, ThreadHere>();
  /** Deployments whose end the engine has recorded, and the functions that wait for one. */
  #noted = new Set<string>();
  #hearers: (() => void)[] = [];
  #engine: Engine;
  #hosting: Hosting;
  /** The deployment IDs, by the names of the cases. */
  readonly #deployed = new Map<string, string>();

  private constructor(database: Database) {
    this.#database = database;
    this.#engine = this.#openEngine();
    this.#hosting = this.#openHosting();
  }

  /** Starts with an empty database, by default of PGlite. */
  static async open({ fresh } = onPglite()): Promise<Stage> {
    const database = await fresh();
    await createProject(database, { id: project, name: "fidelity" });
    return new Stage(database);
  }

  /** Moves the chain head and the clock, or restarts everything. Waits until the threads have nothing left to do. */
  async moveTo(moment: Moment): Promise<void> {
    if (moment === "restarted") {
      await this.#hosting.close();
      this.#threads.clear();
      this.#noted.clear();
      this.#engine = this.#openEngine();
      this.#hosting = this.#openHosting();
      return;
    }
    this.#node.head = Number(moment);
    this.#clock.advance(hour);
    for (const thread of this.#threads.values()) thread.wake();
    await this.#settled();
  }

  /** @returns `accepted`, or the reason for the rejection */
  async deploy(one: RecordedCase): Promise<string> {
    try {
      const build = ReadBuild.of({ manifest: manifestPath, files: filesOf(one) });
      const { deploymentId: deployment } = linkBuild(build);
      const hosted = {
        deployment,
        network,
        read: async () => build,
        mayRead: (other: string) => isShownBy(this.#database, project, other),
        find: (other: string) => storedBuild(this.#database, other),
      };
      await checkOnEngine(this.#engine, hosted);
      await this.#database.transaction((sql) =>
        addVersion(sql, {
          project,
          name: one.name,
          version,
          deployment,
          bundle: zipBuild(build),
          network,
          engine: this.#engine.name,
          description: null,
        }),
      );
      this.#deployed.set(one.name, deployment);
      return "accepted";
    } catch (error) {
      if (error instanceof BundleError || error instanceof Problem) return error.message;
      throw error;
    }
  }

  /** Starts indexing the deployments, and waits until there is nothing left to do. */
  async start(): Promise<void> {
    await this.#hosting.reconcile();
    await this.#settled();
  }

  async pause(cases: readonly RecordedCase[]): Promise<void> {
    for (const { name } of cases) {
      const deployment = this.#deployed.get(name);
      if (deployment === undefined) continue;
      await setPaused(this.#database, { project, name, version }, true);
      this.#threads.delete(deployment);
    }
    await this.#hosting.reconcile();
  }

  /** The current status and answers of a case. */
  async sample(one: RecordedCase, moment: Moment): Promise<Sample> {
    const deployment = this.#deploymentOf(one);
    const answers: unknown[] = [];
    for (const [index, query] of one.queries.entries()) {
      const asksMeta = index === 1 && one.asksMeta && moment === "15";
      const asked = asksMeta ? query.replace(/}$/, "_meta { block { number } } }") : query;
      const { body } = await this.#engine.answer(deployment, readQueryBody(JSON.stringify({ query: asked })));
      const answer = JSON.parse(body.replaceAll(deployment, "ID"));
      if (asksMeta) delete answer.data?._meta;
      answers.push(answer);
    }
    return { status: await this.#status(deployment), answers };
  }

  /** Imports ENS names. */
  async importNames(names: Readonly<Record<string, string>>): Promise<void> {
    await importEnsNames(
      this.#database,
      (async function* () {
        for (const [hash, name] of Object.entries(names)) yield { hash, name };
      })(),
    );
  }

  /** The time of the first failure and the number of attempts of a retried block. */
  async retries(one: RecordedCase): Promise<Pick<HostedError, "failingSince" | "attempts">> {
    const deployment = this.#deploymentOf(one);
    const { failingSince, attempts } =
      (await this.#engine.status([deployment])).get(deployment)?.fatalError ?? {};
    return {
      ...(failingSince !== undefined && { failingSince }),
      ...(attempts !== undefined && { attempts }),
    };
  }

  /** The log of a case. Lines of a thread appear once it has ended. */
  async log(one: RecordedCase): Promise<readonly LogLine[]> {
    const deployment = this.#deploymentOf(one);
    const { lines } = await this.#engine.logs(deployment, { direction: "asc", limit: 100 });
    return lines;
  }

  close(): Promise<void> {
    return this.#hosting.close();
  }

  #deploymentOf({ name }: RecordedCase): string {
    const deployment = this.#deployed.get(name);
    if (deployment !== undefined) return deployment;
    throw new Error(`${name} was not deployed`);
  }

  #openEngine(): Engine {
    const world = {
      fetch: this.#node.fetch,
      now: this.#clock.now,
      sleep: this.#clock.sleep,
      timeout: this.#clock.timeout,
      random: () => 0.5,
    };
    const engine = createEmbeddedEngine({
      database: this.#database,
      // Threads would connect to it, but these share the connections of the stage.
      address: "unused",
      world,
      nodes: new Nodes(new Map([[network, ["http://node.test"]]]), world),
      startThread: (job) => {
        const { fetch } = this.#node;
        const surroundings = { database: this.#database, clock: this.#clock, fetch, files: standInFiles };
        const thread = new ThreadHere(job, surroundings);
        this.#threads.set(job.deployment, thread);
        return thread;
      },
    });
    engine.onChange(({ deployment }) => {
      if (!this.#threads.get(deployment)?.isOver) return;
      this.#noted.add(deployment);
      for (const heard of this.#hearers.splice(0)) heard();
    });
    return engine;
  }

  #openHosting(): Hosting {
    const world = { now: this.#clock.now, timeout: this.#clock.timeout, random: () => 0.5 };
    return createHosting({ database: this.#database, engines: [this.#engine], world });
  }

  async #settled(): Promise<void> {
    for (const [deployment, thread] of this.#threads) {
      await thread.resting();
      while (thread.isOver && !this.#noted.has(deployment)) {
        await new Promise<void>((heard) => void this.#hearers.push(heard));
      }
    }
  }

  async #status(deployment: string): Promise<RecordedStatus> {
    const reader = new StatusReader(
      queryPlatform(this.#database, this.#hosting, this.#clock.now),
      new PublicView(this.#database),
    );
    const { data, errors } = await execute({
      schema: statusSchema(),
      document: statusQuery,
      rootValue: statusAnswers(reader, "0.0.0-test"),
      variableValues: { deployment },
    });
    if (errors) throw errors[0];
    const [status] = data?.indexingStatuses as readonly AnsweredStatus[];
    if (!status) throw new Error(`nothing is known of ${deployment}`);
    const { chains, ...rest } = status;
    return {
      ...rest,
      latestBlock: chains[0].latestBlock?.number ?? null,
      earliestBlock: chains[0].earliestBlock?.number ?? null,
      lastHealthyBlock: chains[0].lastHealthyBlock?.number ?? null,
      fatalError: rest.fatalError && { ...rest.fatalError, block: rest.fatalError.block?.number ?? null },
      nonFatalErrors: rest.nonFatalErrors.map((error) => ({ ...error, block: error.block?.number ?? null })),
    };
  }
}

type Numbered = { readonly number: string } | null;
interface AnsweredError {
  readonly message: string;
  readonly block: Numbered;
  readonly handler: string | null;
  readonly deterministic: boolean;
}
interface AnsweredStatus
  extends Omit<
    RecordedStatus,
    "latestBlock" | "earliestBlock" | "lastHealthyBlock" | "fatalError" | "nonFatalErrors"
  > {
  readonly fatalError: AnsweredError | null;
  readonly nonFatalErrors: readonly AnsweredError[];
  readonly chains: readonly [
    Readonly<Record<"latestBlock" | "earliestBlock" | "lastHealthyBlock", Numbered>>,
  ];
}

const statusQuery = parse(`query ($deployment: String!) {
  indexingStatuses(subgraphs: [$deployment]) {
    health synced paused entityCount
    fatalError { message block { number } handler deterministic }
    nonFatalErrors { message block { number } handler deterministic }
    chains { latestBlock { number } earliestBlock { number } lastHealthyBlock { number } }
  }
}`);

/** The files of a build. */
function filesOf({ manifest, schema, module }: RecordedCase): ReadonlyMap<string, string | Uint8Array> {
  const wasm = modules.get(module) ?? sharedFile(`modules/${module}.wasm`);
  modules.set(module, wasm);
  return new Map<string, string | Uint8Array>([
    [manifestPath, JSON.stringify(manifest)],
    ["schema.graphql", schema],
    ["Lab.json", sharedFile("abis/Lab.json")],
    ["Child.json", sharedFile("abis/Child.json")],
    ["m.wasm", wasm],
  ]);
}
