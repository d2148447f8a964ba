import type { GraphNodeProofs } from "../deploy/graph-node/proofs.js";
import type { ToldStatus } from "../deploy/graph-node/told-status.js";
import type { BodyAnswer } from "../query/answer-body.js";
import type { Spend } from "../query/engine.js";
import type { QueryBody } from "../query/query-body.js";
import type { Database } from "../store/database/database.js";
import type { Deployment } from "../store/deployments/deployments.js";
import type { Feed } from "../store/tables/feed.js";
import type { Layout } from "../store/tables/layout.js";
import type { ReadBuild } from "../subgraph/runnable/read-build.js";

/** Something that indexes builds and answers queries to them: this program itself, or a graph-node. */
export interface Engine {
  /** `embedded`, or what a graph-node is known by. */
  readonly name: string;
  /** The networks it can index, in their order. */
  readonly networks: readonly string[];
  /** Whether it may know networks that are not listed: it does not tell which. */
  readonly takesAny?: boolean;
  /** Why changes to what it indexes cannot be followed, as the end of a sentence; left out where they can. */
  readonly feedless?: string;
  /** Why its entities cannot be read but by queries, as the end of a sentence; left out where they can. */
  readonly storageless?: string;
  /**
   * Proofs and hashes of blocks, of an engine that has them. Failures are errors whose messages hold no address; it does not
   * look whether a deployment is public.
   */
  readonly proofs?: GraphNodeProofs;
  /**
   * Reads a build before it is accepted.
   * @throws BundleError, DatabaseError or another error that says why the engine would refuse it
   */
  check(build: OfferedBuild): Promise<void>;
  /**
   * What will come to nothing in a build that it takes, or to a failure, and when: sentences with their places. Left out
   * where it judges builds itself.
   */
  warnings?(build: ReadBuild): readonly string[];
  /** Indexes a build, or goes on with it; nothing when it does so already. */
  start(build: HostedBuild): Promise<void>;
  /** Stops indexing; what there is stays and is answered from. Nothing when it is not indexing. */
  pause(deployment: string, network?: string): Promise<void>;
  /** Drops a deployment with all it has indexed. Nothing when it is not there. */
  remove(deployment: string): Promise<void>;
  /** Forgets, as far as it is here, whatever is not among these: it was removed by another server. */
  keepOnly?(deployments: ReadonlySet<string>): Promise<void>;
  /** How it goes with the nodes of its networks; left out where it does not ask them itself. */
  nodes?(): Promise<readonly NetworkReading[]>;
  /** Why the database cannot be written, as indexing has just seen; nothing when it can. */
  unwritable?(): string | undefined;
  /** Since when it does not answer, and why; nothing while it does. */
  absence?(): { readonly since: number; readonly why: string } | undefined;
  /** What is wrong with the ways to it; left out where there are none. */
  troubles?(): readonly EngineTrouble[];
  /** Why it has refused a build that it was to start, and will refuse it again; nothing when it has not. */
  refusal?(deployment: string): string | undefined;
  /** Hears of deployments that are not as they were asked for any more, and are to be asked for again. */
  onDrift?(hear: (deployments: readonly string[]) => void): () => void;
  /**
   * How it goes with deployments; those that are not known are left out. Of an engine that does not answer, it is what was
   * known last, and said so.
   */
  status(deployments: readonly string[]): Promise<ReadonlyMap<string, HostedStatus>>;
  /** Lines of a deployment's log. */
  logs(deployment: string, query: HostedLinesQuery): Promise<HostedLines>;
  /**
   * Answers a query, as graph-node does.
   * @param spend hears how many milliseconds the query kept the engine at work, waiting for its turn not among them; also
   *   when there is no answer
   * @throws DatabaseError, or that the engine is away
   */
  answer(deployment: string, body: QueryBody, spend?: Spend): Promise<BodyAnswer>;
  /** Where the entities lie; nothing when they cannot be read directly, or nothing was indexed yet. */
  storage(deployment: string): Promise<HostedStorage | undefined>;
  /** Hears of everything that happens to deployments until the function given back is called. */
  onChange(hear: (change: HostedChange) => void): () => void;
  /**
   * Hears that another server no longer indexes a build that was to be started here, until the function given back is
   * called: it can be started now, if it is still wanted.
   */
  onFree?(hear: () => void): () => void;
  /** Gives up what it waits for from others, since it will be closed when its work has ended. */
  interrupt?(): void;
  /** Stops all work in order: what is running is ended at a block, whole. */
  close(): Promise<void>;
}

/** What an engine is to index. */
export interface HostedBuild {
  /** The IPFS hash of the manifest. */
  readonly deployment: string;
  readonly network: string;
  /** What was built, read anew with each call unless it was just sent: it is not to be kept. @throws DatabaseError, BundleError */
  read(): Promise<ReadBuild>;
  /**
   * Whether it may take the entities of another deployment over, which can be that of strangers. Asked before every attempt.
   * @throws DatabaseError
   */
  mayGraftOnto(base: string): Promise<boolean>;
  /** Keeps that the engine has paused it by itself, so that it stays so. @throws DatabaseError */
  keepPaused(): Promise<void>;
}

/** A build that is to be deployed, before anything is recorded. */
export interface OfferedBuild extends Omit<HostedBuild, "keepPaused"> {
  /** Takes a graft's base however far it is. Whose it is matters all the same. */
  readonly skipsGraftCheck?: boolean;
}

/** How it goes with a deployment. */
export interface HostedStatus {
  readonly health: "healthy" | "unhealthy" | "failed" | "unknown";
  readonly isSynced: boolean;
  /** Why it cannot go on, or keeps failing in the same block. */
  readonly fatalError?: HostedError;
  /** Handlers that failed where the subgraph bears it, oldest first, a bounded number. */
  readonly nonFatalErrors: readonly HostedError[];
  /** Why it cannot go on for now, if it cannot; the same is the last of the non-fatal errors. */
  readonly waitsFor?: string;
  /** Whether nothing is left to index, because all data sources have ended. */
  readonly isFinished?: true;
  readonly startBlock: number;
  /** The last block that was written; nothing before the first. */
  readonly headBlock?: number;
  /** The last block of the chain, as far as it is known. */
  readonly chainHeadBlock?: number;
  /**
   * What is wrong with the network's node; the same is among the non-fatal errors. What the chain's head is said to be is
   * as old as this.
   */
  readonly nodeState?: NodeState;
  /** What is otherwise than asked for, and left so; the same is among the non-fatal errors. */
  readonly hold?: HostedHold;
  /**
   * Since when the engine does not answer, in milliseconds since 1970; everything else is as old as that. The same is among
   * the non-fatal errors.
   */
  readonly engineState?: { readonly since: number; readonly why: string };
  /** All that a graph-node tells of it, in its words. */
  readonly told?: ToldStatus;
  /** Whether it waits because nothing can be written to the database: its disk is full, say. */
  readonly isUnwritable?: true;
  /** Handlers that ran in a second of late; nothing when it is not known. */
  readonly handlersPerSecond?: number;
}

/** What an operator has done to a deployment at the engine itself, against what was asked for here. */
export interface HostedHold {
  readonly kind: "paused" | "resumed" | "unassigned";
  readonly why: string;
}

/** An address of an engine that does not lead where it should. */
export interface EngineTrouble {
  /** `admin`, `status`, `query`, `ipfs` or `postgres`. */
  readonly address: string;
  /** A sentence without the address itself. */
  readonly why: string;
}

/** Why nothing new comes from a network's node. */
export interface NodeState {
  readonly kind: "away" | "stuck" | "behind";
  /** Milliseconds since 1970; nothing when it is not known. */
  readonly since?: number;
  /** A sentence that names the network. */
  readonly why: string;
}

/** How it goes with the nodes of a network. */
export interface NetworkReading {
  readonly network: string;
  /** Nothing before a node has told it. */
  readonly chainId?: string;
  /** Whether they answer and go on, as far as it is known. */
  readonly isUp: boolean;
  readonly state?: NodeState;
  /** The chain's head as it was last seen, and when that changed last, in milliseconds since 1970. */
  readonly head?: number;
  readonly headAt?: number;
}

/** What went wrong in a deployment. */
export interface HostedError {
  readonly message: string;
  readonly block?: number;
  /** Hex with 0x, as far as it is known. */
  readonly blockHash?: string;
  readonly handler?: string;
  /** The place in the sources: `src/pool.ts:12:3`, as far as it is known. */
  readonly place?: string;
  /**
   * The place in the configuration that the sources were made from: `subgraph.json:20:41`, as far as it is known. No engine
   * tells it, since it is not the same for all who show the deployment: `placedStatus` finds it for one of them.
   */
  readonly configPlace?: string;
  /** Whether it would be the same with every attempt; nothing when it is not known. */
  readonly isDeterministic?: boolean;
  /** Whether the block is tried again by itself. */
  readonly isRetried?: true;
  /** Of a block that is tried again: since when it fails, in milliseconds since 1970. The message says it, too. */
  readonly failingSince?: number;
  /** How often it has failed since then. The message says it, too. */
  readonly attempts?: number;
}

/** Which lines of a log are asked for. */
export interface HostedLinesQuery {
  /** What an earlier page ended with. */
  readonly cursor?: number;
  /** Milliseconds since 1970: lines from then on. */
  readonly after?: number;
  readonly direction: "asc" | "desc";
  /** A part of the text, whatever the case. */
  readonly search?: string;
  readonly levels?: readonly HostedLevel[];
  readonly limit: number;
}

/** From the most to the least serious. */
export const hostedLevels = ["error", "warn", "info", "debug"] as const;
export type HostedLevel = (typeof hostedLevels)[number];

/** A line of a log. */
export interface HostedLine {
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  readonly level: HostedLevel;
}

/** Some lines, and what to go on with; nothing after the last that there is. */
export interface HostedLines {
  readonly lines: readonly HostedLine[];
  readonly cursor?: number;
}

/** The tables of a deployment. */
export interface HostedStorage {
  readonly database: Database;
  readonly deployment: Deployment;
  readonly layout: Layout;
  /** The tables are written by another program: neither their history nor their changes are known here. */
  readonly isForeign?: boolean;
  /** The changes of some tables, for one reader who is known by a name. */
  feed(reader: string, tables: readonly string[]): Feed;
}

/** Something happened to a deployment: blocks were written or reverted, it failed, it was paused. */
export interface HostedChange {
  readonly deployment: string;
  /** The last block that is written now; nothing when that did not change. */
  readonly headBlock?: number;
}

/** Makes the engines do what the catalog says. */
export interface Hosting {
  readonly engines: readonly Engine[];
  /** The engine with a name. @throws Error when there is none: the server was started without it */
  engine(name: string): Engine;
  /** The engine that takes new builds of a network; nothing when none can. */
  engineFor(network: string): Engine | undefined;
  /**
   * Starts, pauses and removes until engines have what the catalog wants; to be called after every change of the
   * catalog. Only a failure to read the catalog is thrown: what an engine cannot do is in its status, and tried again.
   * @param deployments the ones to be waited for; all when they are left out
   * @param read builds by deployment that need not be read from the catalog; they are let go with the answer
   * @throws DatabaseError
   */
  reconcile(deployments?: readonly string[], read?: ReadonlyMap<string, ReadBuild>): Promise<void>;
  /** Hears of the changes of all engines until the function given back is called. */
  onChange(hear: (change: HostedChange) => void): () => void;
  close(): Promise<void>;
}
