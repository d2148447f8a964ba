import type { Abi } from "../abi.js";
import type { Entity } from "../schema/entity.js";
import type { EntitySchema } from "../schema/entity-schema.js";

/**
 * The files of a built subgraph, by path relative to its manifest's folder: the output of `graph build` or
 * graphloom in `build/`.
 */
export interface BuiltFiles {
  /** Path of the manifest, usually `subgraph.yaml`. */
  readonly manifest: string;
  readonly files: ReadonlyMap<string, string | Uint8Array>;
}

/** A built subgraph, parsed and checked: everything the executor needs. */
export interface BuiltSubgraph {
  /** graph-node network, the same for all sources. */
  readonly network: string;
  /** `specVersion` of the manifest: `1.3.0`. */
  readonly specVersion: string;
  /** `apiVersion`, the same for all mappings: `0.0.9`. */
  readonly apiVersion: string;
  /** The features that the manifest declares. */
  readonly features: ReadonlySet<Feature>;
  readonly schema: string;
  /** The parsed schema. */
  readonly entities: EntitySchema;
  /** The deployment whose entities this one takes over, up to a block. */
  readonly graft?: { readonly base: string; readonly block: number };
  /** How many blocks before the chain head queries can reach; absent if all blocks are kept. */
  readonly historyBlocks?: number;
  readonly dataSources: readonly DataSource[];
  readonly templates: readonly Template[];
  /** WASM modules by path. */
  readonly modules: ReadonlyMap<string, Uint8Array>;
}

/** A feature that a manifest must declare if it uses it. */
export type Feature =
  | "nonFatalErrors"
  | "grafting"
  | "fullTextSearch"
  | "aggregations"
  | "bytesAsIds"
  | "declaredEthCalls"
  | "immutableEntities"
  | "ipfsOnEthereumContracts";

/** The common part of data sources and templates. */
export interface Template {
  readonly name: string;
  /** Name of the source's main ABI; empty if the source is for files. */
  readonly abi: string;
  /** ABIs, by the name that the mapping uses. */
  readonly abis: ReadonlyMap<string, Abi>;
  readonly module: string;
  readonly eventHandlers: readonly EventHandler[];
  readonly callHandlers: readonly CallHandler[];
  readonly blockHandlers: readonly BlockHandler[];
  /** The mapping for files, if this is a template for files; it does not listen to the chain and has no ABI. */
  readonly file?: FileMapping;
}

export interface FileMapping {
  readonly handler: string;
  /** Set for files on Arweave instead of IPFS. */
  readonly isArweave?: true;
  /** The entity types that the handler may read and write. */
  readonly entities: ReadonlySet<string>;
}

export interface DataSource extends Template {
  /** Lower-case hex; absent if logs from any address match. */
  readonly address?: string;
  /** Set if it listens to another subgraph instead of the chain; it has no address then. */
  readonly subgraph?: SubgraphMapping;
  readonly startBlock: number;
  /** Last block to index, inclusive. */
  readonly endBlock?: number;
  /** The manifest's context for the mappings; usually empty. */
  readonly context: Entity;
}

/** What a data source listens to in another subgraph. */
export interface SubgraphMapping {
  /** The IPFS hash of the other subgraph's manifest. */
  readonly deployment: string;
  /** In the manifest's order. A type with several handlers fails at its first entity, as in graph-node. */
  readonly handlers: readonly EntityHandler[];
}

export interface EntityHandler {
  /** An entity type of the other subgraph. */
  readonly entity: string;
  readonly handler: string;
  readonly calls: readonly ParsedCall<EntityOperand>[];
}

export interface EventHandler {
  /** `Transfer(indexed address,uint256)` */
  readonly event: string;
  /** Keccak-256 of the signature without `indexed`, unless the manifest sets a different topic. */
  readonly topic0: string;
  /**
   * Allowed values of topics 1 to 3, as 32 bytes of hex. Without a list any value is allowed; an empty list
   * allows none.
   */
  readonly topicFilters: readonly (readonly string[] | undefined)[];
  readonly handler: string;
  readonly receipt: boolean;
  readonly calls: readonly ParsedCall[];
}

export interface CallHandler {
  /** `mint(address,uint256)` */
  readonly function: string;
  /** The first four bytes of the signature's Keccak-256. */
  readonly selector: string;
  readonly handler: string;
}

export interface BlockHandler {
  readonly handler: string;
  readonly filter: BlockFilter;
}

export type BlockFilter =
  /** All blocks; those in which something calls the source's address; or the first block of the source. */
  | { readonly kind: "all" | "call" | "once" }
  /** The first block of the source, and every n-th block from there. */
  | { readonly kind: "polling"; readonly every: number };

/** `Pool[event.address].balanceOf(event.params.to)` */
export interface ParsedCall<Operand = CallOperand> {
  readonly label: string;
  /** As written in the manifest. */
  readonly text: string;
  readonly contract: string;
  readonly address: Operand;
  /** Name of the function. If the ABI has several with this name, the first. */
  readonly function: string;
  readonly args: readonly Operand[];
}

/** An argument or the target address of a call that is declared for an entity. */
export type EntityOperand =
  /** Lower-case hex. */
  { readonly kind: "literal"; readonly address: string } | { readonly kind: "field"; readonly name: string };

/** An argument or the target address of a declared call. */
export type CallOperand =
  /** Lower-case hex. */
  | { readonly kind: "literal"; readonly address: string }
  | { readonly kind: "event-address" }
  /**
   * A parameter of the event; if it is a struct, with the positions of the members that lead to the value.
   */
  | { readonly kind: "parameter"; readonly name: string; readonly path: readonly number[] };
