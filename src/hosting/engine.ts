import type { GraphNodeProofs } from "../deploy/graph-node/proofs.js";
import type { ToldStatus } from "../deploy/graph-node/told-status.js";
import type { BodyAnswer } from "../query/answer-body.js";
import type { Spend } from "../query/engine.js";
import type { QueryBody } from "../query/query-body.js";
import type { WrittenBlock } from "../runtime/store/store.js";
import type { Database, Sql } from "../store/database/database.js";
import type { Deployment } from "../store/deployments/deployments.js";
import type { LogPage, LogQuery } from "../store/logs/log-line.js";
import type { Feed } from "../store/tables/feed.js";
import type { Layout } from "../store/tables/layout.js";
import type { ReadBuild } from "../subgraph/runnable/read-build.js";

/** The contents of an archive, by chain. */
export interface ArchiveReading {
  readonly chains: readonly ArchivedChainReading[];
  /** The code of the system's error when its folder cannot be read: `EACCES`. */
  readonly unreadable?: string;
}

/** The contents of an archive for a chain. */
export interface ArchivedChainReading {
  /** Decimal. */
  readonly chainId: string;
  /** Names of its networks. */
  readonly networks: readonly string[];
  readonly bytes: number;
  readonly segments: number;
  /** Ranges of blocks with data, in order. */
  readonly ranges: readonly { readonly from: number; readonly to: number }[];
  /** The newest block that is known to be final. */
  readonly final?: number | undefined;
  /**
   * Data that is no longer used, since it is damaged or contradicts the final chain. It is fetched again when needed.
   */
  readonly aside: readonly {
    readonly kind: string;
    readonly from: number;
    readonly to: number;
    readonly why: string;
  }[];
}

/** An engine indexes builds and answers queries to them. It is this program itself or a graph-node. */
export interface Engine {
  /** `embedded`, or the name of a graph-node. */
  readonly name: string;
  /** The networks that it can index, in order. */
  readonly networks: readonly string[];
  /** Whether it may support networks that it does not list. */
  readonly takesAny?: boolean;
  /** Why its changes cannot be followed, as the end of a sentence; missing if they can. */
  readonly feedless?: string;
  /** Why its entities can only be read with queries, as the end of a sentence; missing if they can be read directly. */
  readonly storageless?: string;
  /**
   * Proofs and block hashes, if the engine has them. Error messages contain no address. It does not check whether a
   * deployment is public.
   */
  readonly proofs?: GraphNodeProofs;
  /**
   * Checks a build before it is accepted.
   * @throws BundleError, DatabaseError or another error that says why the engine would refuse it
   */
  check(build: OfferedBuild): Promise<void>;
  /**
   * Warns about parts of an accepted build that will have no effect or fail, and when: sentences with their places.
   * Missing if the engine judges builds itself.
   */
  warnings?(build: ReadBuild): readonly string[];
  /** Starts or continues indexing a build. Does nothing if it is already indexing. */
  start(build: HostedBuild): Promise<void>;
  /** Stops indexing. Existing data can still be queried. Does nothing if it is not indexing. */
  pause(deployment: string, network?: string): Promise<void>;
  /**
   * Drops a deployment with all its data. Does nothing if it does not exist.
   * @param mayRemove called just before, because it may be needed again; in the transaction that drops the data, if
   * there is one
   */
  remove(deployment: string, mayRemove: (sql: Sql) => Promise<boolean>): Promise<void>;
  /** Drops local state of all other deployments, because another server removed them. */
  keepOnly?(deployments: ReadonlySet<string>): Promise<void>;
  /**
   * Takes a deployment back to a block of its chain. Unless it is paused, it is indexed again from there, once it is
   * started again. Missing if another program does that.
   * @param composed deployments that have it as a source and go back too
   * @param within further work of the transaction
   * @returns the last block before @throws RewindRefused, DatabaseError
   */
  rewind?(
    deployment: string,
    to: WrittenBlock,
    composed: readonly string[],
    within: (sql: Sql) => Promise<void>,
  ): Promise<number>;
  /** The state of its networks' nodes; missing if it does not use them itself. */
  nodes?(): Promise<readonly NetworkReading[]>;
  /** A sentence for each chain known to produce no new blocks; missing if the engine does not use nodes itself. */
  idleChains?(): readonly string[];
  /** The state of its archive; missing or `undefined` if it keeps none. */
  archive?(): Promise<ArchiveReading | undefined>;
  /** Why the database is not writable, as indexing last saw; `undefined` if it is writable. */
  unwritable?(): string | undefined;
  /** Since when it has not answered, and why; `undefined` while it answers. */
  absence?(): { readonly since: number; readonly why: string } | undefined;
  /** The problems with its addresses; missing if it has none. */
  troubles?(): readonly EngineTrouble[];
  /** Why it has refused a build and will refuse it again; `undefined` if it has not. */
  refusal?(deployment: string): string | undefined;
  /** Listens for deployments that no longer have the requested state and must be requested again. */
  onDrift?(hear: (deployments: readonly string[]) => void): () => void;
  /**
   * The status of deployments, without unknown ones. If the engine does not answer, the last known status, marked as
   * such.
   */
  status(deployments: readonly string[]): Promise<ReadonlyMap<string, HostedStatus>>;
  /** Lines of a deployment's log. */
  logs(deployment: string, query: LogQuery): Promise<LogPage>;
  /**
   * Answers a query as graph-node does.
   * @param spend receives the milliseconds for which the query kept the engine busy, without waiting for its turn, even
   *   if there is no answer
   * @param gone aborted when all clients that asked have left. The work ends with the signal's reason
   * @throws DatabaseError, or an error that the engine is unavailable
   */
  answer(deployment: string, body: QueryBody, spend?: Spend, gone?: AbortSignal): Promise<BodyAnswer>;
  /** The tables of a deployment; `undefined` if they cannot be read directly or are still empty. */
  storage(deployment: string): Promise<HostedStorage | undefined>;
  /** Listens for all changes of deployments until the returned function is called. */
  onChange(hear: (change: HostedChange) => void): () => void;
  /**
   * Listens for builds that another server no longer indexes and that were to be started here, until the returned
   * function is called. Such a build can be started now if it is still wanted.
   */
  onFree?(hear: () => void): () => void;
  /** Stops taking work from other servers, because it will be closed when its own work has ended. */
  interrupt?(): void;
  /** Stops all work cleanly, each deployment at a whole block. */
  close(): Promise<void>;
}

/** A build for an engine to index. */
export interface HostedBuild {
  /** The IPFS hash of the manifest. */
  readonly deployment: string;
  readonly network: string;
  /** The project whose turns it uses: of the projects that show it, the one that has indexed it longest. */
  readonly project: string;
  /**
   * Reads the build from the database with each call, unless it was just uploaded. Do not keep it.
   * @throws DatabaseError, BundleError
   */
  read(): Promise<ReadBuild>;
  /**
   * Whether it may read the entities of another deployment, which can belong to strangers: of its graft base, and of its
   * sources. Checked before every attempt, and of sources before every look.
   * @throws DatabaseError
   */
  mayRead(other: string): Promise<boolean>;
  /** Records that the engine has paused it, so that it stays paused. @throws DatabaseError */
  keepPaused(): Promise<void>;
}

/** A build to deploy, before anything is recorded. */
export interface OfferedBuild extends Omit<HostedBuild, "project" | "keepPaused"> {
  /** Accepts a graft base at any block. Its owner is still checked. */
  readonly skipsGraftCheck?: boolean;
  /**
   * Reads the build of another deployment that it may read; `undefined` if there is none.
   * @throws DatabaseError, BundleError
   */
  find(other: string): Promise<ReadBuild | undefined>;
}

/** The status of a deployment. */
export interface HostedStatus {
  readonly health: "healthy" | "unhealthy" | "failed" | "unknown";
  readonly isSynced: boolean;
  /** Why it has stopped, or keeps failing in the same block. */
  readonly fatalError?: HostedError;
  /** Non-fatal handler errors, oldest first, a bounded number. */
  readonly nonFatalErrors: readonly HostedError[];
  /** Why it cannot continue for now, if so. Also the last of the non-fatal errors. */
  readonly waitsFor?: string;
  /** Since when, in milliseconds since 1970, if known. */
  readonly waitsSince?: number;
  /** Whether nothing is left to index because all data sources have ended. */
  readonly isFinished?: true;
  readonly startBlock: number;
  /** The last written block; absent before the first. */
  readonly headBlock?: number;
  /** The time of the last written block, in seconds since 1970, if known. */
  readonly headTimestamp?: number;
  /** The last known block of the chain. */
  readonly chainHeadBlock?: number;
  /** The problem with the network's node, also among the non-fatal errors. The reported chain head is just as old. */
  readonly nodeState?: NodeState;
  /** The chain produces no new blocks. The subgraph has indexed them all, and is not at fault. */
  readonly idleChain?: IdleChain;
  /** A source of a composed subgraph that has stopped: a sentence. The subgraph waits for it, and is not at fault. */
  readonly idleSource?: string;
  /** A difference from the requested state that is left alone. Also among the non-fatal errors. */
  readonly hold?: HostedHold;
  /**
   * Since when the engine has not answered, in milliseconds since 1970. All other fields are just as old. Also among
   * the non-fatal errors.
   */
  readonly engineState?: { readonly since: number; readonly why: string };
  /** graph-node's whole status of the deployment, as graph-node returned it. */
  readonly told?: ToldStatus;
  /** Whether it waits because the database is not writable, for example because its disk is full. */
  readonly isUnwritable?: true;
  /** The recent number of handlers per second; missing if unknown. */
  readonly handlersPerSecond?: number;
}

/** A change that an operator made to a deployment at the engine itself, contrary to the request made here. */
export interface HostedHold {
  readonly kind: "paused" | "resumed" | "unassigned";
  readonly why: string;
}

/** An engine address that leads to the wrong place. */
export interface EngineTrouble {
  /** `admin`, `status`, `query`, `ipfs` or `postgres`. */
  readonly address: string;
  /** A sentence without the address itself. */
  readonly why: string;
}

/** Why a network's node delivers nothing new. */
export interface NodeState {
  readonly kind: "away" | "stuck" | "behind" | "other-chain";
  /** Milliseconds since 1970; missing if unknown. */
  readonly since?: number;
  /** A sentence that names the network. */
  readonly why: string;
}

/** A chain that has made no new block for much longer than usual, as development chains do between transactions. */
export interface IdleChain {
  /** Milliseconds since 1970. */
  readonly since: number;
  /** A sentence that names the network, the time and the block. */
  readonly why: string;
}

/** The state of a network's nodes. */
export interface NetworkReading {
  readonly network: string;
  /** Missing until a node has reported it. */
  readonly chainId?: string;
  /** Whether they answer and advance, if known. */
  readonly isUp: boolean;
  readonly state?: NodeState;
  /** The last seen chain head, and when it last changed, in milliseconds since 1970. */
  readonly head?: number;
  readonly headAt?: number;
  /** The time of that block by the chain's own clock, in milliseconds since 1970. */
  readonly headTime?: number;
}

/** An error of a deployment. */
export interface HostedError {
  readonly message: string;
  readonly block?: number;
  /** Hex with 0x, if known. */
  readonly blockHash?: string;
  readonly handler?: string;
  /** The event or call that the handler was called for, if known: the hash of its transaction, and the index of the log. */
  readonly transactionHash?: string;
  readonly logIndex?: number;
  /** The place in the sources, if known: `src/pool.ts:12:3`. */
  readonly place?: string;
  /**
   * The place in the configuration from which the sources were generated, if known: `subgraph.json:20:41`. Engines do
   * not report it, because it differs between projects that show the deployment. `placedStatus` finds it for one
   * project.
   */
  readonly configPlace?: string;
  /** Whether every attempt would fail the same way; missing if unknown. */
  readonly isDeterministic?: boolean;
  /** Whether the block is retried automatically. */
  readonly isRetried?: true;
  /** For an error that ended indexing: when it did, in milliseconds since 1970; missing if unknown. */
  readonly failedAt?: number;
  /** For a retried block: the message without since when and how often. */
  readonly reason?: string;
  /** For a retried block: since when it has failed, in milliseconds since 1970. The message contains it too. */
  readonly failingSince?: number;
  /** How often it has failed since then. The message contains it too. */
  readonly attempts?: number;
}

/** The tables of a deployment. */
export interface HostedStorage {
  readonly database: Database;
  readonly deployment: Deployment;
  readonly layout: Layout;
  /** Another program writes the tables, so their history and changes are unknown here. */
  readonly isForeign?: boolean;
  /** The changes of some tables for one named reader. */
  feed(reader: string, tables: readonly string[]): Feed;
}

/** A change of a deployment: blocks were written or reverted, it failed, or it was paused. */
export interface HostedChange {
  readonly deployment: string;
  /** The new last written block; missing if it did not change. */
  readonly headBlock?: number;
  /** How many blocks were reverted, because a reorganisation of the chain replaced them; missing if none were. */
  readonly reverted?: number;
  /** Whether other servers on the database see its changes too, because the engine is a separate program. */
  readonly isShared?: true;
}

/** Brings the engines into the state that the catalog describes. */
export interface Hosting {
  readonly engines: readonly Engine[];
  /**
   * The engine with a name.
   * @throws Error if the server was started without it
   */
  engine(name: string): Engine;
  /** The engine for new builds of a network; `undefined` if there is none. */
  engineFor(network: string): Engine | undefined;
  /**
   * Starts, pauses and removes deployments until the engines match the catalog. Call it after every change of the
   * catalog. It throws only if it cannot read the catalog; an engine's errors appear in its status and are retried.
   * @param deployments the deployments to wait for; all by default
   * @param read builds by deployment that need not be read from the catalog, released afterwards
   * @throws DatabaseError
   */
  reconcile(deployments?: readonly string[], read?: ReadonlyMap<string, ReadBuild>): Promise<void>;
  /** Listens for changes of all engines until the returned function is called. */
  onChange(hear: (change: HostedChange) => void): () => void;
  close(): Promise<void>;
}
