import type { AssemblyType } from "../abi/assembly-type.js";
import type { BoundMethod } from "../abi/bound-abi.js";
import type { LocatedString } from "../source/source.js";

/** What a handler does after it has stored its trigger: calls in the order written, then entities. */
export interface Enrichment {
  readonly calls: readonly EnrichmentCall[];
  /** What is added to the triggering entity, then the others by entity type name, which may read it. */
  readonly entities: readonly EnrichmentEntity[];
  /** Log every step. */
  readonly debugging: boolean;
  /** Names of `@graphprotocol/graph-ts` that the expressions use, sorted. */
  readonly graphTsNames: readonly string[];
  /** Every free name of the expressions; generated names must keep out of their way. */
  readonly freeNames: readonly string[];
}

/** AssemblyScript the user wrote, printed as it is but for comparisons with null, on lines of its own. */
export interface UserExpression {
  readonly text: string;
  /** Offsets of the characters of `text` that the user has not written: `==` before null became `===`. */
  readonly inserted: readonly number[];
  /** The string in the configuration, and where in it `text` begins. */
  readonly expression: LocatedString;
  readonly offset: number;
  /** `the value of Balance.owner`: what it is, for messages. */
  readonly what: string;
  /** What fits, where it is a number of a written type, or a list of such. */
  readonly bounds?: NumberBounds;
}

/** The numbers that an ABI type holds. */
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
  /** Class name of the ABI the called contract is bound with. */
  readonly contract: string;
  readonly method: BoundMethod;
  readonly source: CallSource;
  readonly args: readonly UserExpression[];
  /** True when a revert aborts the enrichment: `required`, or a dependency of another call. */
  readonly essential: boolean;
  /** False where the peer's binding would encode an argument wrongly, so that the mapping has to do it. */
  readonly bindingEncodes: boolean;
  readonly pre?: UserExpression;
  readonly post?: UserExpression;
  /** The call in the manifest's grammar, when it is made before the handler. */
  readonly declared?: DeclaredCall;
}

export type CallSource =
  /** The contract that triggered. */
  | { readonly kind: "trigger" }
  /** A plain address, lower-case hex. */
  | { readonly kind: "address"; readonly address: string }
  | { readonly kind: "expression"; readonly value: UserExpression };

export interface DeclaredCall {
  /** `Erc20[event.address].balanceOf(event.params.to)`. */
  readonly text: string;
  /** Struct members need a newer manifest. */
  readonly readsStruct: boolean;
}

export interface EnrichmentEntity {
  /** The entity type. */
  readonly type: string;
  readonly id: EntityId;
  /** Whether the block, time, transaction and contract fields are to be filled, as for any event entity. */
  readonly fillsBaseFields: boolean;
  /** The field that refers to the triggering entity. */
  readonly triggerField?: string;
  /** By field name. */
  readonly fields: readonly EnrichmentField[];
}

export interface EnrichmentField {
  readonly field: string;
  readonly value: UserExpression;
  readonly type: AssemblyType;
  /** Whether the value may be null. */
  readonly hasNull: boolean;
  /** Whether it is a nullable text: the peer's accessor would store an empty one as null. */
  readonly isNullableText: boolean;
  /** Whether it reads of the entity what an earlier field assigns, so that it has to be evaluated before. */
  readonly readsAssigned: boolean;
  /** The call whose result it is, where that has a zero and no null to say that the call reverted. */
  readonly revertible?: RevertibleResult;
}

/** A number or a truth value that a call gives, or nothing when the call reverts. */
export interface RevertibleResult {
  /** The name after `calls.`. */
  readonly ref: string;
  /** Whether the entity may have the field already, so that it has to be unset. */
  readonly replaces: boolean;
}

export type EntityId =
  /** The triggering entity itself. */
  | { readonly kind: "trigger" }
  /** A new entity with the triggering entity's id. */
  | { readonly kind: "same" }
  /** A new entity, its id being the triggering entity's and this. */
  | { readonly kind: "suffix"; readonly value: UserExpression }
  /** Loaded by this id if it exists, else new. */
  | { readonly kind: "explicit"; readonly value: UserExpression };
