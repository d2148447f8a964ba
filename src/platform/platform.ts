import type { Meters } from "../base/meters.js";
import type { World } from "../base/world.js";
import type { Hosting } from "../hosting/engine.js";
import type { Database } from "../store/database/database.js";

/** What all parts of a server have in common. */
export interface Platform {
  /** Catalog, logs, outbox; and, with the embedded engine, entities. Up to date. */
  readonly database: Database;
  readonly world: World;
  readonly hosting: Hosting;
  readonly settings: PlatformSettings;
  /** The 32 bytes that secrets are encrypted with. */
  readonly secretKey: Uint8Array;
  /** Where work is counted; it is not when left out. */
  readonly meters?: Meters | undefined;
}

/** How a server was started. */
export interface PlatformSettings {
  /** What clients reach it by, without a slash at the end: `http://127.0.0.1:8030`. Known once it listens. */
  readonly address: () => string;
  /** Whether it is reached from this machine alone; users' URLs may then lead to private addresses. */
  readonly isLoopback: boolean;
  /** Whether a host that somebody asks for is this server; left out where any may be. */
  readonly isOwnHost?: (name: string) => boolean;
  /** Private addresses and networks that users' URLs may lead to nevertheless: `10.1.0.0/16`. */
  readonly reachable?: readonly string[];
  /** Addresses and networks of proxies before it: what they say of who asks is believed. */
  readonly trustedProxies?: readonly string[];
  /** Addresses of JSON-RPC nodes by network. */
  readonly nodes: ReadonlyMap<string, readonly string[]>;
  /** What endpoints of the product `data` stand in front of; nothing when the server was started without one. */
  readonly dataService?: DataService;
  /** Whether something is still to be done before the server is of use; it is not when left out. */
  readonly isStarting?: () => boolean;
  /** What projects can have, where that differs from the defaults. */
  readonly quotas?: Partial<Quotas>;
  /** The program's version. */
  readonly version: string;
}

/** How many of something a project can have. */
export interface Quotas {
  /** Versions of subgraphs. */
  readonly deployments: number;
  /** Edge endpoints. */
  readonly endpoints: number;
  readonly webhooks: number;
}

/** A data service: prepared reads of chains, over HTTP. */
export interface DataService {
  /** The address that its operations begin with. */
  readonly address: string;
  /** What it asks this server for. */
  readonly key?: string;
}
