import type { AssemblyType } from "../abi/assembly-type.js";
import type { BoundMethod } from "../abi/bound-abi.js";
import type { LocatedString, Location } from "../source/source.js";

/**
 * The enrichment of a handler, after it has stored its trigger: calls in the order written, then entities.
 */
export interface Enrichment {
  readonly calls: readonly EnrichmentCall[];
  /** The fields added to the triggering entity, then other entities by type name, which may read those fields. */
  readonly entities: readonly EnrichmentEntity[];
  /** Whether every step is logged. */
  readonly debugging: boolean;
  /** Names of `@graphprotocol/graph-ts` that the expressions use, sorted. */
  readonly graphTsNames: readonly string[];
  /** All free names of the expressions, which generated names must not shadow. */
  readonly freeNames: readonly string[];
}

/** A user's expression, printed unchanged on separate lines, apart from comparisons with null. */
export interface UserExpression {
  readonly text: string;
  /** Offsets of inserted characters in `text`: `==` before null became `===`. */
  readonly inserted: readonly number[];
  /** The string in the configuration, and the offset of `text` in it. */
  readonly expression: LocatedString;
  readonly offset: number;
  /** A description for messages: `the value of Balance.owner`. */
  readonly what: string;
  /** The valid range, if it is a number of a declared type, or a list of such numbers. */
  readonly bounds?: NumberBounds;
}

/** The range of a numeric ABI type. */
export interface NumberBounds {
  /** `uint8`, also of a list. */
  readonly type: string;
  readonly lowest: bigint;
  readonly highest: bigint;
  readonly isList: boolean;
}

export interface EnrichmentCall {
  /** The name after `calls.`. */
  readonly ref: string;
  /** Class name of the called contract's ABI. */
  readonly contract: string;
  readonly method: BoundMethod;
  readonly source: CallSource;
  readonly args: readonly UserExpression[];
  /** Whether a revert aborts the enrichment: true for `required` calls and for dependencies of other calls. */
  readonly essential: boolean;
  /**
   * False if graph-cli's binding would encode an argument wrongly, or abort on an answer that does not fit its type.
   * Then a helper makes the call.
   */
  readonly bindingSuffices: boolean;
  readonly pre?: UserExpression;
  readonly post?: UserExpression;
  /** The declared call in the manifest's grammar, if it is made before the handler. */
  readonly declared?: DeclaredCall;
  readonly at: Location;
}

export type CallSource =
  | { readonly kind: "trigger" }
  /** A plain address, lower-case hex. */
  | { readonly kind: "address"; readonly address: string }
  | { readonly kind: "expression"; readonly value: UserExpression };

export interface DeclaredCall {
  /** `Erc20[event.address].balanceOf(event.params.to)`. */
  readonly text: string;
  /** Whether it reads struct members, which requires a newer manifest version. */
  readonly readsStruct: boolean;
}

export interface EnrichmentEntity {
  readonly type: string;
  readonly id: EntityId;
  /** Whether the block, time, transaction and contract fields are filled, as in all event entities. */
  readonly fillsBaseFields: boolean;
  /** The field that references the triggering entity. */
  readonly triggerField?: string;
  readonly fields: readonly EnrichmentField[];
}

export interface EnrichmentField {
  readonly field: string;
  readonly value: UserExpression;
  readonly type: AssemblyType;
  /** Whether the value may be null. */
  readonly hasNull: boolean;
  /** Whether it is a nullable string, which graph-cli's accessor would store as null if empty. */
  readonly isNullableText: boolean;
  /** Whether it reads a field that is assigned earlier, so that it must be evaluated before that. */
  readonly readsAssigned: boolean;
  /** The call whose result it is, if the result is not nullable and a revert would read as zero. */
  readonly revertible?: RevertibleResult;
}

/** A number or boolean that a call returns, unless it reverts. */
export interface RevertibleResult {
  /** The name after `calls.`. */
  readonly ref: string;
  /** Whether the entity may already have a value for the field, so that it must be unset. */
  readonly replaces: boolean;
}

export type EntityId =
  /** The triggering entity itself. */
  | { readonly kind: "trigger" }
  /** A new entity with the triggering entity's id. */
  | { readonly kind: "same" }
  /** A new entity whose id is the triggering entity's with this suffix. */
  | { readonly kind: "suffix"; readonly value: UserExpression }
  /** The entity of this id, loaded or new. */
  | { readonly kind: "explicit"; readonly value: UserExpression };
