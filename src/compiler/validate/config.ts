import type { Abi } from "../abi/abi.js";
import type { LoadedMapping } from "../load/loaded-project.js";
import type { Located, LocatedString, Location, Source } from "../source/source.js";

/**
 * The valid part of a configuration, in the user's terms: nothing is looked up yet, and only the schema's defaults
 * are applied. Every value has its location. Invalid parts were reported and are left out, so that one run checks all
 * the rest.
 */
export interface ValidProject {
  /** The whole document. */
  readonly at: Location;
  /** Without the version part. */
  readonly name?: Located<string>;
  readonly version?: string;
  /** In the order written. */
  readonly abis: readonly AbiDeclaration[];
  /** In the order written. */
  readonly instances: readonly Instance[];
  /** False if an instance was left out. It may contain what seems to be missing. */
  readonly complete: boolean;
  readonly enableCallHandlers: boolean;
  /** The user's own mapping; absent if there is none, or if it cannot be read. */
  readonly mapping?: OwnMapping;
  /** The list of chains in the older format, only compared with the instances'. */
  readonly chains?: Located<readonly string[]>;
}

/** A mapping that the user wrote. */
export interface OwnMapping {
  readonly file: Source;
  readonly path: LocatedString;
  /** The entity types that it stores; absent if it declares none, or if they cannot be parsed. */
  readonly schema?: LoadedMapping["schema"];
}

export interface AbiDeclaration {
  /** The key under `abis`: free text. */
  readonly name: LocatedString;
  readonly abi: Abi;
}

export type Instance = DataSourceInstance | TemplateInstance | BrokenInstance;

/** An instance with invalid settings. It is not compiled, but its enrichment is checked. */
export interface BrokenInstance {
  readonly kind: "broken";
  readonly at: Location;
  readonly abi: LocatedString;
  readonly enrich?: Enrich;
}

export interface DataSourceInstance {
  readonly kind: "data-source";
  readonly at: Location;
  readonly abi: LocatedString;
  readonly address: LocatedString;
  readonly startBlock: Located<number>;
  readonly chain: LocatedString;
  readonly enrich?: Enrich;
}

export interface TemplateInstance {
  readonly kind: "template";
  readonly at: Location;
  readonly abi: LocatedString;
  readonly source: TemplateSource;
  readonly enrich?: Enrich;
}

export interface TemplateSource {
  readonly at: Location;
  readonly abi: LocatedString;
  readonly eventSignature: LocatedString;
  readonly addressParam: LocatedString;
}

export interface Enrich {
  readonly at: Location;
  readonly debugging: boolean;
  readonly imports: readonly LocatedString[];
  /** In the order written. */
  readonly handlers: readonly HandlerConfig[];
}

export interface HandlerConfig {
  /** The key: the signature of an event or function. */
  readonly signature: LocatedString;
  /** The function of the user's own mapping that is called at the end. */
  readonly handler?: LocatedString;
  /** In written order, which is the order of execution. */
  readonly calls: readonly CallConfig[];
  /** Names of calls that are left out, so that they do not count as unknown. */
  readonly brokenCalls: readonly string[];
  /** In the order written. */
  readonly entities: readonly EntityConfig[];
}

export interface CallConfig {
  readonly at: Location;
  /** The key: the name after `calls.` in expressions. */
  readonly ref: LocatedString;
  readonly abi?: LocatedString;
  readonly source?: LocatedString;
  readonly name: LocatedString;
  readonly params?: LocatedString;
  readonly dependsOn: readonly LocatedString[];
  readonly required: boolean;
  /** Present only if true. */
  readonly declared?: Located<true>;
  readonly pre?: LocatedString;
  readonly post?: LocatedString;
}

export interface EntityConfig {
  /** The key: the entity type's name. */
  readonly name: LocatedString;
  readonly form: "simple" | "array";
  /** One item per entity that each run of the handler creates; exactly one in the simple form. */
  readonly items: readonly EntityItem[];
}

export interface EntityItem {
  readonly at: Location;
  /** Only in the array form. */
  readonly id?: LocatedString;
  readonly explicitId: boolean;
  /** In the order written. */
  readonly fields: readonly FieldConfig[];
}

export interface FieldConfig {
  /** First word of the key. */
  readonly name: Located<string>;
  /** Second word of the key: an ABI type name. */
  readonly type: Located<string>;
  /** The whole key, which ends in the type. */
  readonly key: LocatedString;
  readonly value: LocatedString;
}
