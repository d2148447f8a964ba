import { availableParallelism } from "node:os";
import { reportFailure } from "../../base/failures.js";
import type { Meters } from "../../base/meters.js";
import { repeat } from "../../base/text/repeat.js";
import { FairTurns } from "../../base/turns/fair-turns.js";
import { guarded, inBackground } from "../../base/turns/guarded.js";
import type { World } from "../../base/world.js";
import type { ArchiveFiles } from "../../datasets/archive/archive-files.js";
import type { BodyAnswer } from "../../query/answer-body.js";
import type { Spend } from "../../query/engine.js";
import type { QueryBody } from "../../query/query-body.js";
import type { SayLine } from "../../rpc/node-watch.js";
import type { Nodes } from "../../rpc/nodes.js";
import { createGatewayFiles, type Gateways } from "../../runtime/files/gateway-files.js";
import type { VerifyMode } from "../../runtime/indexer/logs/verification.js";
import type { WrittenBlock } from "../../runtime/store/store.js";
import { type Database, DatabaseError, type Sql } from "../../store/database/database.js";
import { knownLockWaits } from "../../store/database/lock-sentence.js";
import { DatabaseTurns } from "../../store/database/port/database-turns.js";
import { findDeployment, layoutOf } from "../../store/deployments/deployments.js";
import { dropDeployment } from "../../store/deployments/drop-deployment.js";
import { checkGraftBase } from "../../store/deployments/graft.js";
import { readHealth } from "../../store/deployments/health.js";
import { rewindDeployment } from "../../store/entities/rewind.js";
import type { LogPage, LogQuery } from "../../store/logs/log-line.js";
import { layOut } from "../../store/tables/lay-out.js";
import { BundleError } from "../../subgraph/bundle-error.js";
import { checkSourceSubgraphs } from "../../subgraph/runnable/check-sources.js";
import { buildWarnings, judgeBuild } from "../../subgraph/runnable/judge-build.js";
import type { ReadBuild } from "../../subgraph/runnable/read-build.js";
import type {
  ArchiveReading,
  Engine,
  HostedBuild,
  HostedChange,
  HostedStatus,
  HostedStorage,
  NetworkReading,
  OfferedBuild,
} from "../engine.js";
import { LogBook } from "../logs/log-book.js";
import { ArchiveState } from "./archive-state.js";
import { checkModules } from "./check-modules.js";
import { DeploymentQueries } from "./deployment-queries.js";
import { DeploymentThread, type StartThread } from "./deployment-thread.js";
import { type EngineSurroundings, HostedDeployment } from "./hosted-deployment.js";
import { hostedStatus } from "./hosted-status.js";
import { idleSourceOf } from "./idle-source.js";
import { createLeases, type Leases, type LeaseTimes } from "./leases.js";
import type { WantedShare } from "./shares.js";
import { HandlerTurns } from "./turns/handler-turns.js";
import type { SharedSource } from "./turns/shared-source.js";

export interface EmbeddedEngineOptions {
  /** The database for everything. It must be migrated (`migrate`). The engine does not close it. */
  readonly database: Database;
  /** The address of the database if it is on a server. Threads open separate connections to it. */
  readonly address?: string;
  readonly world: World;
  /** The server's nodes. The engine does not close them. */
  readonly nodes: Nodes;
  /** The gateways for mappings that read files. */
  readonly gateways?: Gateways;
  /** Services that serve final blocks faster than the nodes, by network. Projects take turns at them. */
  readonly histories?: ReadonlyMap<string, SharedSource>;
  /** How lists of logs are verified; `bloom` by default. */
  readonly verify?: VerifyMode;
  /** Whether new deployments keep proofs of indexing; true by default. */
  readonly proofs?: boolean;
  /** Where chain data is kept, so that it is fetched once; it contains nothing about deployments. */
  readonly archive?: ArchiveFiles | undefined;
  readonly limits?: Partial<EmbeddedLimits>;
  /** The timing with which servers on one database notice each other. */
  readonly leaseTimes?: LeaseTimes | undefined;
  /** Receives a line when the archive's files cannot be used. */
  readonly say?: SayLine | undefined;
  /** Counts work; absent to count nothing. */
  readonly meters?: Pick<Meters, "indexed"> | undefined;
  /** Starts the thread of a deployment; a worker by default. */
  readonly startThread?: StartThread;
}

export interface EmbeddedLimits {
  /** The most milliseconds that a handler may take. */
  readonly handlerTime: number;
  /** The most megabytes of a deployment's JavaScript heap. */
  readonly memory: number;
  /** How many handlers run at once; as many as there are processors by default. */
  readonly handlersAtOnce: number;
}

const defaultLimits: EmbeddedLimits = {
  handlerTime: 60_000,
  memory: 512,
  handlersAtOnce: availableParallelism(),
};

/** Milliseconds that a status request waits for the head of a chain that is not being polled. */
const glancePatience = 1_000;
/** The maximum number of milliseconds between checks whether threads are alive. */
const checkInterval = 1_000;

/**
 * Creates the engine that is this program itself: a thread for each deployment, with the entities in the database.
 * @throws Error if the database server's address is missing
 */
export function createEmbeddedEngine(options: EmbeddedEngineOptions): Engine {
  return new EmbeddedEngine(options);
}

class EmbeddedEngine implements Engine {
  readonly name = "embedded";
  readonly networks: readonly string[];
  readonly #database: Database;
  readonly #world: World;
  readonly #limits: EmbeddedLimits;
  readonly #closing = new AbortController();
  readonly #nodes: Nodes;
  readonly #archive: ArchiveState | undefined;
  readonly #logs: LogBook;
  readonly #queries: DeploymentQueries;
  readonly #leases: Leases;
  readonly #surroundings: EngineSurroundings;
  readonly #hosted = new Map<string, HostedDeployment>();
  readonly #hearers = new Set<(change: HostedChange) => void>();
  readonly #freeHearers = new Set<() => void>();
  #closed: Promise<void> | undefined;

  constructor({
    database,
    address,
    world,
    nodes,
    gateways = {},
    histories = new Map(),
    limits = {},
    leaseTimes,
    say,
    verify = "bloom",
    proofs = true,
    archive,
    meters,
    startThread = (job, surroundings) => new DeploymentThread(job, surroundings),
  }: EmbeddedEngineOptions) {
    if (database.provider === "postgres" && address === undefined) {
      throw new Error(
        "the embedded engine requires the address of the database, because its threads open their own connections",
      );
    }
    this.networks = nodes.networks;
    this.#nodes = nodes;
    this.#archive = archive && new ArchiveState(archive, () => world.now());
    this.#database = database;
    this.#world = world;
    this.#limits = { ...defaultLimits, ...limits };
    this.#logs = new LogBook(database, world);
    this.#queries = new DeploymentQueries(database, world);
    const holder = {
      networks: this.networks,
      wanted: () => this.#wanted(),
      lost: (lost: readonly string[]) => this.#onLost(lost),
      free: () => this.#onFree(),
      handOver: (surplus: readonly string[]) => this.#handOver(surplus),
    };
    this.#leases = createLeases(database, world, holder, leaseTimes);
    const { memory, handlerTime, handlersAtOnce } = this.#limits;
    this.#surroundings = {
      database,
      turns: new DatabaseTurns(),
      startTurns: new FairTurns({ atOnce: handlersAtOnce, atOnceOfOne: Math.max(1, handlersAtOnce - 1) }),
      handlerTurns: new HandlerTurns(handlersAtOnce, world),
      address,
      world,
      memory,
      handlerTime,
      verify,
      proofs,
      archive,
      onArchiveFailure: createFailureTeller(say),
      leases: this.#leases,
      logs: this.#logs,
      startThread,
      meters,
      files: createGatewayFiles(gateways, world),
      hasIpfs: gateways.ipfs !== undefined,
      gateway: (network) => nodes.of(network),
      history: (network) => histories.get(network),
      changed: (change) => this.#tell(change),
    };
    inBackground(this.#watchThreads(), reportFailure);
  }

  async check(build: OfferedBuild): Promise<void> {
    const read = await build.read();
    judgeBuild(read);
    const { network, graft, entities, templates, modules } = read.subgraph;
    if (!this.#nodes.of(network)) {
      const known = this.networks.length === 0 ? "none" : this.networks.join(", ");
      throw new BundleError(
        `No node is configured for the network ${network}; networks with a node: ${known}`,
      );
    }
    const fileTypes = new Set(templates.flatMap(({ file }) => [...(file?.entities ?? [])]));
    const found = await findDeployment(this.#database, build.deployment);
    if (!found) {
      layOut(entities, "sgd0", { fileTypes });
      await checkModules(modules);
    }
    await checkSourceSubgraphs(read, (other) => build.find(other));
    if (!graft || found || build.skipsGraftCheck) return;
    const base = (await build.mayRead(graft.base))
      ? await findDeployment(this.#database, graft.base)
      : undefined;
    checkGraftBase(graft, base && { ...base, layout: layoutOf(base) }, network);
  }

  warnings(build: ReadBuild): readonly string[] {
    return buildWarnings(build);
  }

  async start(build: HostedBuild): Promise<void> {
    if (this.#closing.signal.aborted) return;
    await this.#hostedOf(build).start(build);
  }

  async pause(deployment: string, network = ""): Promise<void> {
    const known = this.#hosted.get(deployment) ?? this.#hostedOf({ deployment, network });
    await known.pause();
  }

  async remove(deployment: string, mayRemove: (sql: Sql) => Promise<boolean>): Promise<void> {
    const drop = async (): Promise<boolean> => {
      const became = await dropDeployment(this.#database, deployment, mayRemove);
      if (became === "kept") return false;
      this.#queries.drop(deployment);
      await this.#logs.drop(deployment);
      if (became === "dropped") this.#tell({ deployment });
      return true;
    };
    const known = this.#hosted.get(deployment);
    if (!known) return void (await drop());
    if (await known.remove(drop)) this.#hosted.delete(deployment);
  }

  async rewind(
    deployment: string,
    to: WrittenBlock,
    composed: readonly string[],
    within: (sql: Sql) => Promise<void>,
  ): Promise<number> {
    let work = (): Promise<number> => rewindDeployment(this.#database, deployment, to, composed, within);
    // The source is stopped first: none that waits for another can be waited for.
    for (const one of [...composed, deployment]) {
      const [hosted, inner] = [this.#hosted.get(one), work];
      if (hosted) work = () => hosted.rewind(inner);
    }
    const before = await work();
    this.#logs.say(deployment, "info", `Rewound from block ${before} to block ${to.number}`);
    this.#tell({ deployment, headBlock: to.number });
    for (const one of composed) {
      this.#logs.say(one, "info", `Went back too: its source was rewound to block ${to.number}`);
      const head = (await findDeployment(this.#database, one))?.head;
      this.#tell({ deployment: one, ...(head && { headBlock: head.number }) });
    }
    return before;
  }

  async keepOnly(deployments: ReadonlySet<string>): Promise<void> {
    const gone = [...this.#hosted.values()].filter(({ deployment }) => !deployments.has(deployment));
    await Promise.all(
      gone.map(async (hosted) => {
        await hosted.remove(async () => true);
        if (this.#hosted.get(hosted.deployment) === hosted) this.#hosted.delete(hosted.deployment);
        this.#queries.drop(hosted.deployment);
        await this.#logs.forget(hosted.deployment);
      }),
    );
  }

  async status(deployments: readonly string[]): Promise<ReadonlyMap<string, HostedStatus>> {
    const networks = new Set(deployments.map((deployment) => this.#hosted.get(deployment)?.network ?? ""));
    // The head of a network without active deployments is not polled.
    await Promise.all([...networks].map((network) => this.#nodes.of(network)?.glance(glancePatience)));
    const sources = deployments.flatMap((deployment) => this.#hosted.get(deployment)?.sources ?? []);
    const asked = [...deployments, ...sources.map(({ deployment }) => deployment)];
    const [states, locks] = await Promise.all([
      readHealth(this.#database, asked),
      knownLockWaits(this.#database),
    ]);
    const all = new Map<string, HostedStatus>();
    for (const deployment of deployments) {
      const hosted = this.#hosted.get(deployment);
      const state = states.get(deployment);
      if (!hosted && !state) continue;
      const gateway = this.#nodes.of(hosted?.network ?? "");
      const idleSource =
        hosted && (await idleSourceOf(hosted, state, states, (source) => this.#hosted.get(source)));
      const { head, trouble } = gateway ?? {};
      all.set(deployment, hostedStatus(state, hosted, head, trouble, locks, idleSource));
    }
    return all;
  }

  unwritable(): string | undefined {
    return [...this.#hosted.values()].find(({ isUnwritable }) => isUnwritable)?.waitsFor;
  }

  async archive(): Promise<ArchiveReading | undefined> {
    return this.#archive?.read();
  }

  idleChains(): readonly string[] {
    const troubles = this.networks.map((network) => this.#nodes.of(network)?.trouble);
    return troubles.flatMap((trouble) => (trouble?.kind === "stuck" ? [trouble.why] : []));
  }

  async nodes(): Promise<readonly NetworkReading[]> {
    const gateways = this.networks.flatMap((network) => {
      const gateway = this.#nodes.of(network);
      return gateway ? [[network, gateway] as const] : [];
    });
    await Promise.all(gateways.map(([, gateway]) => gateway.glance(glancePatience)));
    return gateways.map(([network, { chainId, trouble, head, headAt, headTime }]) => ({
      network,
      ...(chainId !== undefined && { chainId }),
      isUp: trouble === undefined,
      ...(trouble && { state: trouble }),
      ...(head && { head: head.number }),
      ...(headAt !== undefined && { headAt }),
      ...(headTime !== undefined && { headTime }),
    }));
  }

  logs(deployment: string, query: LogQuery): Promise<LogPage> {
    return this.#logs.read(deployment, query);
  }

  answer(deployment: string, body: QueryBody, spend?: Spend, gone?: AbortSignal): Promise<BodyAnswer> {
    return this.#queries.answer(deployment, body, spend, gone);
  }

  storage(deployment: string): Promise<HostedStorage | undefined> {
    return this.#queries.storage(deployment);
  }

  onChange(hear: (change: HostedChange) => void): () => void {
    this.#hearers.add(hear);
    return () => {
      this.#hearers.delete(hear);
    };
  }

  onFree(hear: () => void): () => void {
    this.#freeHearers.add(hear);
    return () => {
      this.#freeHearers.delete(hear);
    };
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const stops = [...this.#hosted.values()].map((hosted) => hosted.stop());
    const ended = await Promise.allSettled([this.#leases.retire(), ...stops]);
    this.#closing.abort();
    await this.#leases.close();
    await this.#logs.close();
    const failed = ended.find((end) => end.status === "rejected");
    if (failed && !(failed.reason instanceof DatabaseError)) throw failed.reason;
  }

  #hostedOf(build: Pick<HostedBuild, "deployment" | "network">): HostedDeployment {
    const known = this.#hosted.get(build.deployment);
    if (known && known.network === build.network) return known;
    const hosted = new HostedDeployment(build, this.#surroundings, known?.isPaused ?? false);
    this.#hosted.set(build.deployment, hosted);
    return hosted;
  }

  #tell(change: HostedChange): void {
    for (const hear of this.#hearers) guarded(hear, reportFailure)(change);
  }

  #wanted(): readonly WantedShare[] {
    return [...this.#hosted.values()].filter(({ isWanted }) => isWanted);
  }

  #onFree(): void {
    for (const hear of this.#freeHearers) guarded(hear, reportFailure)();
  }

  #handOver(deployments: readonly string[]): void {
    for (const deployment of deployments)
      inBackground(this.#hosted.get(deployment)?.handOver(), reportFailure);
  }

  /** Another server may index them now. The next start asks for the lease again. */
  #onLost(deployments: readonly string[]): void {
    for (const deployment of deployments) inBackground(this.#hosted.get(deployment)?.stop(), reportFailure);
  }

  async #watchThreads(): Promise<void> {
    const { signal } = this.#closing;
    const pause = Math.min(checkInterval, this.#limits.handlerTime / 2);
    const check = (): void => {
      for (const hosted of this.#hosted.values()) hosted.check();
    };
    await repeat(pause, this.#world, signal, check, reportFailure);
  }
}

/** Reports each failure of the archive's files once, since every deployment has the same one. */
function createFailureTeller(say: SayLine | undefined): (why: string) => void {
  const told = new Set<string>();
  return (why) => {
    // Names of drafts differ each time.
    const key = why.slice(0, why.indexOf(","));
    if (told.has(key)) return;
    told.add(key);
    say?.("warn", `The archive: ${why}`);
  };
}
