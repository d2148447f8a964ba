import type { Abi } from "../abi/abi.js";
import type { BoundAbi } from "../abi/bound-abi.js";
import type { EntityModel } from "./entity-model.js";
import type { Handler } from "./handler.js";

/**
 * What a configuration means: everything looked up, named and decided. Plain data; printing it needs no choice any
 * more. Nothing in it depends on the order of keys in the configuration, on the machine or on the time.
 */
export interface SubgraphModel {
  /** Without version; absent when the configuration has none. */
  readonly name: string | undefined;
  readonly version: string | undefined;
  /** What the subgraph is, in the user's words; absent when nothing was said. */
  readonly description?: string | undefined;
  /** One per ABI in use, by class name. */
  readonly abis: readonly AbiModel[];
  /** In schema order: events, calls, then enrichment entities, each by name. */
  readonly entities: readonly EntityModel[];
  /** One per ABI that has handlers, by class name. */
  readonly modules: readonly MappingModule[];
  /** One per chain, in order of first appearance. Each is deployed as a subgraph of its own. */
  readonly chains: readonly ChainModel[];
}

export interface AbiModel {
  /** Name in the manifest, class name of the binding, stem of the file under `abis/`. */
  readonly className: string;
  /** Only what is used, with parameter names that the binding can carry. */
  readonly abi: Abi;
  readonly bound: BoundAbi;
}

/** The handlers of one ABI, which live in one source file. */
export interface MappingModule {
  /** `uniswap-v3-pool`: stem of the file under `src/`. */
  readonly fileStem: string;
  readonly abi: AbiModel;
  /** By ABI class name, the folder under `generated/` that its binding is imported from. */
  readonly bindings: ReadonlyMap<string, string>;
  readonly handlers: readonly Handler[];
}

export interface ChainModel {
  /** The network's name. */
  readonly chain: string;
  /** In the order written. */
  readonly dataSources: readonly DataSourceModel[];
  /** By name. */
  readonly templates: readonly SourceModel[];
}

/** What a data source and a template have in common. */
export interface SourceModel {
  /** Unique in its manifest, safe in paths. */
  readonly name: string;
  readonly abi: AbiModel;
  /** Its own ABI, then those its handlers call. */
  readonly abis: readonly AbiModel[];
  /** The handlers it listens with; a subset of its ABI's module. */
  readonly handlers: readonly Handler[];
}

export interface DataSourceModel extends SourceModel {
  /** `0x` and 40 lower-case hex digits. */
  readonly address: string;
  readonly startBlock: number;
}
