import type { Abi } from "../abi/abi.js";
import type { BoundAbi } from "../abi/bound-abi.js";
import type { Location, Source } from "../source/source.js";
import type { EntityModel } from "./entity-model.js";
import type { Handler } from "./handler.js";

/**
 * The meaning of a configuration: everything looked up, named and decided, as plain data, so that printing it needs
 * no more decisions. Independent of the order of keys, of the machine and of the time.
 */
export interface SubgraphModel {
  /** Without version; absent if the configuration has none. */
  readonly name: string | undefined;
  readonly version: string | undefined;
  /** The user's description; absent if there is none. */
  readonly description?: string | undefined;
  /** The ABIs in use, by class name. */
  readonly abis: readonly AbiModel[];
  /** In schema order: events, calls, then enrichment entities, each by name. */
  readonly entities: readonly EntityModel[];
  /** One per ABI with handlers, by class name. */
  readonly modules: readonly MappingModule[];
  /** The user's own mapping; absent if there is none. */
  readonly mapping?: OwnMappingModel | undefined;
  /** The chains in order of first appearance. Each is deployed as a separate subgraph. */
  readonly chains: readonly ChainModel[];
}

export interface AbiModel {
  /** Name in the manifest, class name of the binding, file stem under `abis/`. */
  readonly className: string;
  /** The entries in use, with parameter names that are safe in the binding. */
  readonly abi: Abi;
  readonly bound: BoundAbi;
}

/** A mapping that the user wrote, which handlers call. */
export interface OwnMappingModel {
  /** File stem under `src/`. */
  readonly fileStem: string;
  readonly file: Source;
  /** The names of the entity types that it declares; the model's types include them. */
  readonly types: readonly string[];
}

/** The handlers of one ABI in one source file. */
export interface MappingModule {
  /** File stem under `src/`: `uniswap-v3-pool`. */
  readonly fileStem: string;
  readonly abi: AbiModel;
  /** Folder under `generated/` from which a binding is imported, by ABI class name. */
  readonly bindings: ReadonlyMap<string, string>;
  readonly handlers: readonly Handler[];
}

export interface ChainModel {
  /** graph-node network. */
  readonly chain: string;
  readonly dataSources: readonly DataSourceModel[];
  /** By name. */
  readonly templates: readonly SourceModel[];
}

/** The common part of data sources and templates. */
export interface SourceModel {
  /** Unique in its manifest, safe in paths. */
  readonly name: string;
  readonly abi: AbiModel;
  /** Its own ABI, then the ABIs that its handlers call. */
  readonly abis: readonly AbiModel[];
  /** Its handlers; a subset of its ABI's module. */
  readonly handlers: readonly Handler[];
  /** The location of its ABI's name; for a template, in the first instance that declares it. */
  readonly at: Location;
}

export interface DataSourceModel extends SourceModel {
  readonly address: string;
  readonly startBlock: number;
  /** The locations of both. */
  readonly places: { readonly address: Location; readonly startBlock: Location };
}
