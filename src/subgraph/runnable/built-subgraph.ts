import type { Abi } from "../abi.js";
import type { Entity } from "../schema/entity.js";
import type { EntitySchema } from "../schema/entity-schema.js";

/** A built subgraph as files by path relative to its manifest's folder: what `graph build` or graphloom leave in `build/`. */
export interface BuiltFiles {
  /** Path of the manifest, `subgraph.yaml` mostly. */
  readonly manifest: string;
  readonly files: ReadonlyMap<string, string | Uint8Array>;
}

/** A built subgraph, read and checked: everything the executor needs. */
export interface BuiltSubgraph {
  /** graph-node network name; all sources have the same. */
  readonly network: string;
  /** Of all mappings: `0.0.9`. */
  readonly apiVersion: string;
  /** Text of the schema. */
  readonly schema: string;
  /** The schema, read. */
  readonly entities: EntitySchema;
  /** The deployment whose entities are taken over, up to a block. */
  readonly graft?: { readonly base: string; readonly block: number };
  /** How many blocks before the head entities can be asked for; nothing when all are kept. */
  readonly historyBlocks?: number;
  readonly dataSources: readonly DataSource[];
  readonly templates: readonly Template[];
  /** WASM by path. */
  readonly modules: ReadonlyMap<string, Uint8Array>;
}

/** What a data source and a template have in common. */
export interface Template {
  readonly name: string;
  /** The ABI of the source, by name. */
  readonly abi: string;
  /** By the name that the mapping calls them by. */
  readonly abis: ReadonlyMap<string, Abi>;
  /** Path of the WASM. */
  readonly module: string;
  readonly eventHandlers: readonly EventHandler[];
  readonly callHandlers: readonly CallHandler[];
}

export interface DataSource extends Template {
  /** Lower-case hex; absent when logs of any address are wanted. */
  readonly address?: string;
  readonly startBlock: number;
  /** The last block, included. */
  readonly endBlock?: number;
  /** What the manifest gives to the mappings; empty mostly. */
  readonly context: Entity;
}

export interface EventHandler {
  /** `Transfer(indexed address,uint256)` */
  readonly event: string;
  /** Hash of the plain signature, or what the manifest says instead. */
  readonly topic0: string;
  /** What the topics 1 to 3 of a log may be: one of each list, as 32 bytes of hex; an empty list allows anything. */
  readonly topicFilters: readonly (readonly string[])[];
  readonly handler: string;
  readonly receipt: boolean;
  readonly calls: readonly DeclaredCall[];
}

export interface CallHandler {
  /** `mint(address,uint256)` */
  readonly function: string;
  /** First four bytes of the hash of the signature. */
  readonly selector: string;
  readonly handler: string;
}

/** `Pool[event.address].balanceOf(event.params.to)` */
export interface DeclaredCall {
  readonly label: string;
  readonly text: string;
}
