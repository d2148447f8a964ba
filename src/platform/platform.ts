import type { Meters, NodeFailure } from "../base/meters.js";
import type { Tracing } from "../base/tracing.js";
import type { MemoryGuard } from "../base/turns/memory-guard.js";
import type { World } from "../base/world.js";
import type { FoundMarket } from "../data/markets/project-markets.js";
import type { DataService as AnsweringService } from "../data/service/data-service.js";
import type { Hosting } from "../hosting/engine.js";
import type { Nodes } from "../rpc/nodes.js";
import type { Database } from "../store/database/database.js";

/** The shared parts of a server. */
export interface Platform {
  /** Holds the catalog, logs, the outbox and, with the embedded engine, entities. It is migrated. */
  readonly database: Database;
  readonly world: World;
  readonly hosting: Hosting;
  /** The nodes of all networks, which all parts share. */
  readonly nodes: Nodes;
  readonly settings: PlatformSettings;
  /** The 32 bytes that encrypt secrets. */
  readonly secretKey: Uint8Array;
  /** Counts work; absent to count nothing. */
  readonly meters?: Meters | undefined;
  /** Follows requests; absent to follow none. */
  readonly tracing?: Pick<Tracing, "begin"> | undefined;
  /** The memory of the server; without it, nothing is refused for lack of memory. */
  readonly memory?: MemoryGuard | undefined;
}

/** How a server was started. */
export interface PlatformSettings {
  /** The address that clients use, without a trailing slash: `http://127.0.0.1:8030`. Known once the server listens. */
  readonly address: () => string;
  /** Whether only this machine can reach the server; users' URLs may then lead to private addresses. */
  readonly isLoopback: boolean;
  /** Whether the host that a request names is this server; absent if any host is accepted. */
  readonly isOwnHost?: (name: string) => boolean;
  /** Private addresses and networks that users' URLs may still reach: `10.1.0.0/16`. */
  readonly reachable?: readonly string[];
  /** Addresses and networks of proxies in front of the server, whose forwarding headers it trusts. */
  readonly trustedProxies?: readonly string[];
  /** Addresses of JSON-RPC nodes by network. */
  readonly nodes: ReadonlyMap<string, readonly string[]>;
  /** The data service behind endpoints of the product `data`; absent if the server was started without one. */
  readonly dataService?: DataService;
  /** Whether the server is still starting up; absent means that it is not. */
  readonly isStarting?: () => boolean;
  /** Quotas of projects that differ from the defaults. */
  readonly quotas?: Partial<Quotas>;
  /** The program's version. */
  readonly version: string;
}

/** How much a project can have. */
export interface Quotas {
  /** Subgraph versions. */
  readonly deployments: number;
  /** Edge endpoints. */
  readonly endpoints: number;
  readonly webhooks: number;
  /** Pipelines and streams, each with its own thread. */
  readonly pipelines: number;
  /** Megabytes of files that pipelines write on the server. */
  readonly fileMegabytes: number;
  /** Databases in the cluster for hosted sinks. */
  readonly hostedSinks: number;
  /** Megabytes of each of those databases. */
  readonly hostedSinkMegabytes: number;
}

/** A data service: an API of prepared chain queries. It is elsewhere, or part of this server. */
export type DataService = RemoteDataService | OwnDataService;

/** A data service that this server forwards to. */
export interface RemoteDataService {
  /** The base address of its operations. */
  readonly address: string;
  /** The key that it expects from this server. */
  readonly key?: string;
}

/** A data service that answers in this process. */
export interface OwnDataService {
  readonly service: AnsweringService;
  /** The key that it expects. */
  readonly key: string;
  /** The networks of its nodes. */
  readonly networks: readonly string[];
  /** The last time that a node gave it no answer. @param node protocol, host and port */
  nodeFailure(network: string, node: string): NodeFailure | undefined;
  /** The market for clients of a project. @throws Refusal */
  marketOf(project: string): Promise<FoundMarket>;
}
