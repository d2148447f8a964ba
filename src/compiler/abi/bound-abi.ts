import type { AbiEvent, AbiFunction } from "./abi.js";
import type { AssemblyType } from "./assembly-type.js";
import type { SolidityType } from "./solidity-type.js";

/**
 * A contract interface with every name its generated AssemblyScript binding has: classes, getters, methods.
 * The names are those `graph codegen` gives, overload numbers and reserved words included.
 */
export interface BoundAbi {
  /** The contract class, which is also the ABI's name in the manifest and `bind()`'s contract name. */
  readonly className: string;
  /** In the ABI's order. */
  readonly events: readonly BoundEvent[];
  /** Functions that can be called (`try_<name>`), in the ABI's order. */
  readonly methods: readonly BoundMethod[];
  /** Functions a call handler can listen to, in the ABI's order. */
  readonly calls: readonly BoundCall[];
}

export interface BoundEvent {
  readonly event: AbiEvent;
  /** `Transfer`, for an overload `Transfer1`. */
  readonly className: string;
  /** `Transfer__Params`. */
  readonly paramsClass: string;
  /** What `event.params` offers, one per input. */
  readonly params: readonly BoundParameter[];
  /** Where its own begin: after the topic that tells what an event of another name is, if that is one. */
  readonly firstOwn: number;
}

export interface BoundMethod {
  readonly fn: AbiFunction;
  /** `balanceOf`, for an overload `balanceOf1`; reserved words end in `_`. */
  readonly name: string;
  /** `try_balanceOf`. */
  readonly tryName: string;
  /** `balanceOf(address):(uint256)`. */
  readonly signature: string;
  readonly inputs: readonly BoundParameter[];
  readonly outputs: readonly BoundParameter[];
  /** What holds a result: of several outputs the class of the result. */
  readonly resultType: AssemblyType;
  /** The class of several outputs; absent for one output. */
  readonly resultClass?: string;
}

export interface BoundCall {
  readonly fn: AbiFunction;
  /** `TransferCall`, numbered among the call functions only. */
  readonly className: string;
  readonly inputs: readonly BoundParameter[];
  readonly outputs: readonly BoundParameter[];
}

export interface BoundParameter {
  /** The getter, method parameter or member name in the binding. */
  readonly name: string;
  /** The name in the ABI; empty when unnamed. */
  readonly abiName: string;
  readonly type: SolidityType;
  readonly indexed: boolean;
  /** What holds the value; `Bytes` for what is hashed when indexed. */
  readonly assemblyType: AssemblyType;
  /** The binding of the struct this parameter is, or is a (nested) list of; not for indexed ones. */
  readonly struct?: BoundStruct;
}

export interface BoundStruct {
  readonly className: string;
  readonly components: readonly BoundParameter[];
}
