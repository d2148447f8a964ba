import { messageOf } from "../../base/text/message-of.js";
import { type BackoffTimes, backoff } from "../../base/turns/backoff.js";
import type { World } from "../../base/world.js";
import type { ArchiveFiles } from "../../datasets/archive/archive-files.js";
import { askIdentity } from "../../datasets/archive/identity.js";
import { longestTurn } from "../../rpc/nodes-over-port.js";
import { ChainError, ReorgError } from "../../runtime/chain/chain.js";
import { nodeBackoff } from "../../runtime/chain/rpc/node-backoff.js";
import { createRpcClient } from "../../runtime/chain/rpc/rpc-client.js";
import { createRpcChain } from "../../runtime/chain/rpc-chain.js";
import { BlockError } from "../../runtime/errors.js";
import type { Files } from "../../runtime/files/files.js";
import type { Turn } from "../../runtime/indexer/handler-runner.js";
import { FalseHistoryError } from "../../runtime/indexer/history/history.js";
import type { HistorySource } from "../../runtime/indexer/history/history-source.js";
import type { Progress } from "../../runtime/indexer/indexer.js";
import { leftOutText, type VerifyMode } from "../../runtime/indexer/logs/verification.js";
import { run } from "../../runtime/run-subgraph.js";
import { type Database, DatabaseError } from "../../store/database/database.js";
import { isDatabaseTrouble } from "../../store/database/database-trouble.js";
import { chainMemory } from "../../store/deployments/chain-memory.js";
import {
  type Deployment,
  findDeployment,
  noteManifest,
  openDeployment,
} from "../../store/deployments/deployments.js";
import { importedEnsNames } from "../../store/deployments/ens-names.js";
import { missingGraftBase } from "../../store/deployments/graft.js";
import { keepHead } from "../../store/deployments/head.js";
import { type DeploymentError, recordRetriedError, recordSynced } from "../../store/deployments/health.js";
import { newDeployment } from "../../store/deployments/new-deployment.js";
import { handlerError } from "../../store/entities/handler-error.js";
import { openStore } from "../../store/entities/open-store.js";
import { type OpenedSource, openSource } from "../../store/entities/source-subgraph.js";
import { BundleError } from "../../subgraph/bundle-error.js";
import type { BuiltFiles, BuiltSubgraph } from "../../subgraph/runnable/built-subgraph.js";
import { buildWarnings } from "../../subgraph/runnable/judge-build.js";
import { ReadBuild } from "../../subgraph/runnable/read-build.js";
import { SchemaError } from "../../subgraph/schema/entity-schema.js";
import { openDeploymentChain } from "./deployment-chain.js";
import { failureText } from "./hosted-error.js";
import type { ThreadEnd, ThreadNews } from "./messages.js";
import type { Pulse } from "./pulse.js";
import type { ThreadLog } from "./thread-log.js";
import type { ThreadWorld } from "./thread-world.js";

/** A deployment to index, and the means to do it. */
export interface IndexJob {
  readonly deployment: string;
  readonly build: BuiltFiles;
  readonly database: Database;
  /** The node's name. Requests go wherever the world's `fetch` sends them. */
  readonly nodeName: string;
  /** Opens the service with the history of the network, if there is one. @param onNote receives sentences about it */
  openHistory?(onNote: (why: string) => void): HistorySource | undefined;
  readonly files: Files | undefined;
  /** Where chain data is kept. */
  readonly archive?: ArchiveFiles | undefined;
  /** How lists of logs are verified. */
  readonly verify: VerifyMode;
  /** Whether new deployments keep proofs of indexing. */
  readonly proofs: boolean;
  readonly log: ThreadLog;
  readonly world: World & Pick<ThreadWorld, "breathe">;
  /** Stops the work after the current block. */
  readonly signal: AbortSignal;
  readonly pulse: Pulse;
  /** The turn that lets its handlers share processors with other threads. By default, they do not wait. */
  readonly turn?: Turn | undefined;
  tell(news: ThreadNews): void;
  /** Whether it may read the entities of another deployment. @throws DatabaseError if that is unknown for now */
  mayRead(other: string): Promise<boolean>;
  /** Waits until the chain may have new blocks. @param most the most milliseconds to wait */
  waitForBlocks(most?: number): Promise<void>;
}

/** The most milliseconds for which a node may be unreachable before the run restarts, which is logged. */
const patience = 60_000;
/** Changes per write. */
const smallBatch = 1_000;
/** The delay before a failed block is retried, as in graph-node. */
const blockBackoff: BackoffTimes = { first: 2_000, longest: 1_800_000, jitter: [0.8, 1.2] };
/** Milliseconds between looks whether a source has new blocks: few after a new block of the chain, then more. */
const sourcePauses = { first: 250, longest: 2_000 };
/** The most milliseconds without a look at the chain while sources have no new blocks. */
const longestSourceWait = 15_000;
/** Milliseconds between progress messages. */
const progressPause = 250;

/** Indexes a deployment until it fails, ends or is stopped. Waits out temporary problems. */
export async function indexDeployment(job: IndexJob): Promise<ThreadEnd> {
  const { signal, world, log } = job;
  let attempt: Attempt;
  try {
    attempt = new Attempt(job, ReadBuild.of(job.build));
  } catch (error) {
    if (!(error instanceof BundleError || error instanceof SchemaError)) throw error;
    return failed(error);
  }
  for (let failures = 1; ; failures++) {
    try {
      const end = await attempt.run();
      if (end.kind !== "failing") return end;
      if (attempt.hasMoved) failures = 1;
      const pause = backoff(failures, blockBackoff, world.random());
      log.say("error", `${failureText(end.error)}. Retrying in ${(pause / 1000).toFixed(1)} s`);
      job.tell({ kind: "failing" });
      await world.sleep(pause).catch(() => undefined);
      if (signal.aborted) return { kind: "stopped" };
    } catch (error) {
      if (signal.aborted) return { kind: "stopped" };
      if (!isPassing(error)) return failed(error);
      if (attempt.hasMoved) failures = 1;
      const pause = backoff(failures + 1, nodeBackoff, world.random());
      const hint = error instanceof DatabaseError && error.hint !== undefined ? ` ${error.hint}` : "";
      log.say("warn", `${error.message}.${hint} Retrying in ${(pause / 1000).toFixed(1)} s`);
      job.tell({ kind: "waiting", why: error.message, isUnwritable: isUnwritable(error) });
      await world.sleep(pause).catch(() => undefined);
      if (signal.aborted) return { kind: "stopped" };
    }
  }
}

/** Whether a retry may succeed: the node or the database is away, or the graft base is missing. */
function isPassing(error: unknown): error is Error {
  // What was written from a source that returned false data stays wrong.
  if (error instanceof FalseHistoryError) return false;
  if (error instanceof ChainError || error instanceof ReorgError) return true;
  return isDatabaseTrouble(error);
}

/** Whether a disk is full or broken, or the database is read-only. */
function isUnwritable(error: Error): boolean {
  return error instanceof DatabaseError && /^(?:53100|58030|25006)$/.test(error.code ?? "");
}

/** An error that no handler caused and that another attempt would not mend. */
function failed(error: unknown): ThreadEnd {
  const message = messageOf(error);
  const deterministic = !(error instanceof FalseHistoryError);
  return { kind: "failed", error: { message, deterministic }, isRecorded: false };
}

/** A block has failed and will be retried. */
interface Failing {
  readonly kind: "failing";
  readonly error: DeploymentError;
}

/** Successive runs of one deployment. */
class Attempt {
  readonly #job: IndexJob;
  readonly #built: BuiltSubgraph;
  /** The source of warnings. Released once it is clear whether to log them. */
  #read: ReadBuild | undefined;
  readonly #numbers = new Map<string, number>();
  #wasOpen = false;
  #isSynced = false;
  #hasSaidToWait = false;
  /** The last seen block of the chain that can be indexed. */
  #target = -1;
  #hasMoved = false;
  #toldAt = 0;
  #reverted = 0;
  /** When it had written before, or had waited for blocks. */
  #busySince = 0;
  /** The handler count of earlier runs. */
  #handlersBefore = 0;
  #handlers = 0;
  /** The detected logs that the node omitted. */
  #leftOut = 0;
  readonly #unproved = new Set<string>();

  /** @throws BundleError, SchemaError for a build that cannot run */
  constructor(job: IndexJob, read: ReadBuild) {
    this.#job = job;
    this.#built = read.subgraph;
    this.#read = read;
  }

  /** Whether the last run wrote a block. */
  get hasMoved(): boolean {
    return this.#hasMoved;
  }

  /** @returns how it ended, or the failure to retry */
  async run(): Promise<ThreadEnd | Failing> {
    const { database, world, signal, files, log, tell, nodeName, verify } = this.#job;
    this.#hasMoved = false;
    this.#reverted = 0;
    this.#busySince = world.now();
    this.#handlersBefore = this.#handlers;
    const { network } = this.#built;
    const onRetry = (why: string, milliseconds: number): void => {
      // A stop cuts off open requests, which is not a failure of the node.
      if (signal.aborted) return;
      log.say("warn", `The node of ${network}: ${why}; retrying in ${(milliseconds / 1000).toFixed(1)} s`);
    };
    const client = createRpcClient(nodeName, world, { timeout: longestTurn, patience, onRetry });
    const node = createRpcChain(client);
    const deployment = await this.#open(async (number) => (await node.block(number)) ?? undefined);
    if (!deployment) return { kind: "removed" };
    log.say("info", startText(deployment));
    tell({ kind: "begun", block: deployment.head?.number });
    const store = openStore(database, deployment, this.#built, {
      // On a database with one connection, other statements wait until a batch is written.
      ...(database.provider === "pglite" && { mostChanges: smallBatch }),
      onWritten: (head) => {
        this.#hasMoved = true;
        const now = world.now();
        tell({ kind: "written", block: head?.number, milliseconds: Math.max(0, now - this.#busySince) });
        this.#busySince = now;
      },
    });
    const chain = await openDeploymentChain({
      client,
      network,
      log,
      memory: chainMemory(database, deployment),
      files: this.#job.archive,
      now: () => world.now(),
    });
    const history = this.#job.openHistory?.((why) => log.say("warn", sentence(why)));
    const sources: OpenedSource[] = [];
    const running = run(this.#built, chain.chain, store, {
      signal,
      openSource: (source) => {
        const opened = openSource(database, source, { mayRead: (other) => this.#job.mayRead(other) });
        sources.push(opened);
        return opened;
      },
      bearsOnlyNearHead: !deployment.isSynced,
      beginsBefore: true,
      verify,
      ...(history && { history }),
      ...((verify === "receipts" || history) && { chainId: (await askIdentity(client)).chainId }),
      onLeftOut: (block, logs) => {
        this.#leftOut += logs;
        log.say("warn", `${sentence(leftOutText(block, logs))} (${this.#leftOut} so far)`);
      },
      onUnproved: (why) => this.#sayUnproved(why),
      ...(chain.archive && { archive: chain.archive }),
      checkChain: () => chain.check(),
      patience,
      random: world.random,
      now: () => world.now(),
      // Otherwise many blocks would run before the next order or report.
      breathe: world.breathe,
      pause: (milliseconds, why) => {
        onRetry(why, milliseconds);
        return world.sleep(milliseconds);
      },
      waitForBlocks: async () => {
        if (sources.length > 0) this.#sayCaughtUpWith(sources);
        else await this.#sayCaughtUp(deployment);
        await chain.rest();
        if (sources.length > 0) await this.#waitFor(sources);
        else await this.#job.waitForBlocks();
        this.#busySince = world.now();
        return !signal.aborted;
      },
      onProgress: (progress) => this.#onProgress(progress),
      onHandler: (handler, source, { number }) =>
        this.#job.pulse.beginHandler(this.#numberOf(handler, source), number),
      turn: this.#job.turn,
      onBlock: (_, { lines, errors }) => {
        log.addAll(lines);
        for (const error of errors) log.say("error", failureText(handlerError(error)));
      },
      names: importedEnsNames(database),
      ...(files && { files }),
    });
    const outcome = await running
      .catch((error: unknown) => {
        if (error instanceof BlockError) return { unwritten: error };
        throw error;
      })
      .finally(() => chain.end());
    if ("unwritten" in outcome) {
      const { message, block } = outcome.unwritten;
      const error = { message, block, deterministic: false };
      await database.transaction(async (sql) => {
        await keepHead(sql, deployment.id, await store.head());
        await recordRetriedError(sql, deployment.id, error);
      });
      return { kind: "failing", error };
    }
    const { failure, isHalted } = outcome;
    if (failure) {
      log.addAll(failure.lines);
      const error = handlerError(failure);
      return failure.isDeterministic
        ? { kind: "failed", error, isRecorded: true }
        : { kind: "failing", error };
    }
    if (signal.aborted) return { kind: "stopped" };
    return isHalted ? { kind: "halted" } : { kind: "finished" };
  }

  /** A deployment that others removed meanwhile is not recreated. */
  async #open(
    blockOf: (number: number) => Promise<{ readonly hash: string } | undefined>,
  ): Promise<Deployment | undefined> {
    const { database, deployment, log, mayRead, proofs } = this.#job;
    const { graft } = this.#built;
    const known = await findDeployment(database, deployment);
    if (known || this.#wasOpen) {
      if (known) await noteManifest(database, known, newDeployment(this.#built, deployment));
      this.#wasOpen = true;
      this.#read = undefined;
      return known;
    }
    if (graft && !(await mayRead(graft.base))) throw missingGraftBase(graft);
    const hash = graft && (await blockOf(graft.block))?.hash;
    const wanted = newDeployment(this.#built, deployment, {
      proofs,
      graft: hash === undefined ? {} : { hash },
    });
    const made = await openDeployment(database, wanted);
    this.#wasOpen = true;
    for (const warning of this.#read ? buildWarnings(this.#read) : []) log.say("warn", warning);
    this.#read = undefined;
    return made;
  }

  /** Returns the number of a handler. */
  #numberOf(handler: string, source: string): number {
    const key = `${source} ${handler}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#numbers.size + 1;
    this.#numbers.set(key, number);
    this.#job.tell({ kind: "handler", number, of: { handler, source } });
    return number;
  }

  /** A run restarts, which needs only a short message. */
  #sayUnproved(why: string): void {
    if (this.#unproved.has(why)) return;
    this.#unproved.add(why);
    this.#job.log.say("warn", sentence(why));
  }

  async #sayCaughtUp({ id, startBlock }: Deployment): Promise<void> {
    this.#job.tell({ kind: "caught-up" });
    if (this.#isSynced) return;
    if (this.#target < startBlock) return this.#sayToWait(startBlock);
    await recordSynced(this.#job.database, id);
    this.#isSynced = true;
    this.#job.log.say("info", "Caught up with the chain");
    this.#tellProgress(this.#job.world.now());
  }

  /** Whether it is synced depends on how far its sources are behind the chain, which each written block shows. */
  #sayCaughtUpWith(sources: readonly OpenedSource[]): void {
    this.#job.tell({ kind: "caught-up" });
    if (this.#isSynced) return;
    this.#isSynced = true;
    const names = sources.map(({ deployment }) => deployment).join(", ");
    this.#job.log.say("info", `Caught up with ${names}${this.#target < 0 ? ", without any block" : ""}`);
    this.#tellProgress(this.#job.world.now());
  }

  /** Waits until a source has another last block. */
  async #waitFor(sources: readonly OpenedSource[]): Promise<void> {
    const { world, signal, waitForBlocks } = this.#job;
    const end = world.now() + longestSourceWait;
    let pause = sourcePauses.first;
    while (!signal.aborted && world.now() < end) {
      for (const source of sources) if (await source.hasMoved()) return;
      const since = world.now();
      await waitForBlocks(pause);
      const isNewBlock = world.now() - since < pause;
      pause = isNewBlock ? sourcePauses.first : Math.min(pause * 2, sourcePauses.longest);
    }
  }

  #sayToWait(startBlock: number): void {
    if (this.#hasSaidToWait) return;
    this.#hasSaidToWait = true;
    this.#job.log.say("info", `Waiting for block ${startBlock}: the chain is at block ${this.#target}`);
  }

  #onProgress({ block, target, handlers, reverted }: Progress): void {
    const { log, world } = this.#job;
    this.#target = target;
    this.#handlers = this.#handlersBefore + handlers;
    if (reverted > this.#reverted) {
      const blocks = reverted - this.#reverted;
      this.#reverted = reverted;
      log.say(
        "warn",
        `The chain was reorganised: reverted ${blocks === 1 ? "1 block" : `${blocks} blocks`}, back to block ${block}`,
      );
    }
    const now = world.now();
    if (now - this.#toldAt < progressPause) return;
    this.#toldAt = now;
    this.#tellProgress(now);
  }

  #tellProgress(now: number): void {
    this.#job.tell({ kind: "progress", handlers: this.#handlers, now });
  }
}

function startText({ head, startBlock }: Deployment): string {
  return head ? `Continuing after block ${head.number}` : `Indexing from block ${startBlock}`;
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
