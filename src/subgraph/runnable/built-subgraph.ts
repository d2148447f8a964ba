import type { Abi } from "../abi.js";
import type { Entity } from "../schema/entity.js";
import type { EntitySchema } from "../schema/entity-schema.js";

/**
 * The files of a built subgraph by path relative to its manifest's folder: the output of `graph build` or
 * graphloom in `build/`.
 */
export interface BuiltFiles {
  /** Path of the manifest, mostly `subgraph.yaml`. */
  readonly manifest: string;
  readonly files: ReadonlyMap<string, string | Uint8Array>;
}

/** A built subgraph, parsed and checked: everything the executor needs. */
export interface BuiltSubgraph {
  /** graph-node network, the same for all sources. */
  readonly network: string;
  /** `apiVersion`, the same for all mappings: `0.0.9`. */
  readonly apiVersion: string;
  /** What the manifest declares to use. */
  readonly features: ReadonlySet<Feature>;
  /** Text of the schema. */
  readonly schema: string;
  /** The parsed schema. */
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

/** What a manifest has to say that it uses. */
export type Feature =
  | "nonFatalErrors"
  | "grafting"
  | "fullTextSearch"
  | "aggregations"
  | "bytesAsIds"
  | "declaredEthCalls"
  | "immutableEntities"
  | "ipfsOnEthereumContracts";

/** What a data source and a template have in common. */
export interface Template {
  readonly name: string;
  /** Name of the source's main ABI; empty where it is for files. */
  readonly abi: string;
  /** ABIs by the name that the mapping uses. */
  readonly abis: ReadonlyMap<string, Abi>;
  /** Path of the WASM. */
  readonly module: string;
  readonly eventHandlers: readonly EventHandler[];
  readonly callHandlers: readonly CallHandler[];
  readonly blockHandlers: readonly BlockHandler[];
  /** Of a template for files of IPFS, which listens to nothing on the chain and has no ABI of its own. */
  readonly file?: FileMapping;
}

/** What is done with a file. */
export interface FileMapping {
  readonly handler: string;
  /** The entity types that it may read and write. */
  readonly entities: ReadonlySet<string>;
}

export interface DataSource extends Template {
  /** Lower-case hex; absent when logs of any address match. */
  readonly address?: string;
  readonly startBlock: number;
  /** Last block to index, inclusive. */
  readonly endBlock?: number;
  /** The manifest's context for the mappings; mostly empty. */
  readonly context: Entity;
}

export interface EventHandler {
  /** `Transfer(indexed address,uint256)` */
  readonly event: string;
  /** Keccak-256 of the signature without `indexed`, unless the manifest sets another. */
  readonly topic0: string;
  /** Allowed values of topics 1 to 3 as 32 bytes of hex; any value without a list, and an empty list allows none. */
  readonly topicFilters: readonly (readonly string[] | undefined)[];
  readonly handler: string;
  readonly receipt: boolean;
  readonly calls: readonly ParsedCall[];
}

export interface CallHandler {
  /** `mint(address,uint256)` */
  readonly function: string;
  /** First four bytes of the signature's Keccak-256. */
  readonly selector: string;
  readonly handler: string;
}

export interface BlockHandler {
  readonly handler: string;
  readonly filter: BlockFilter;
}

/** Which blocks a handler wants. */
export type BlockFilter =
  /** All of them, or those in which something calls the source's address; or the first one the source listens to. */
  | { readonly kind: "all" | "call" | "once" }
  /** The first one the source listens to, and every so many from there. */
  | { readonly kind: "polling"; readonly every: number };

/** `Pool[event.address].balanceOf(event.params.to)` */
export interface ParsedCall {
  readonly label: string;
  /** As the manifest has it. */
  readonly text: string;
  /** Name of the ABI. */
  readonly contract: string;
  readonly address: CallOperand;
  /** Name of the function; of several, the ABI's first one is meant. */
  readonly function: string;
  readonly args: readonly CallOperand[];
}

/** An argument of a declared call, or whom it calls. */
export type CallOperand =
  /** Lower-case hex. */
  | { readonly kind: "literal"; readonly address: string }
  | { readonly kind: "event-address" }
  /** A parameter of the event; where it is a struct, the positions of members that lead to the value. */
  | { readonly kind: "parameter"; readonly name: string; readonly path: readonly number[] };
