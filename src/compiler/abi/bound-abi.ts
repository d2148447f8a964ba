import type { AbiEvent, AbiFunction } from "./abi.js";
import type { AssemblyType } from "./assembly-type.js";
import type { SolidityType } from "./solidity-type.js";

/**
 * A contract interface with all names of its generated AssemblyScript binding: classes, getters, methods. The names
 * equal those from `graph codegen`, including overload numbers and reserved words.
 */
export interface BoundAbi {
  /** Name of the contract class, of the ABI in the manifest, and of the contract in `bind()`. */
  readonly className: string;
  /** In ABI order. */
  readonly events: readonly BoundEvent[];
  /** Functions that can be called (`try_<name>`), in ABI order. */
  readonly methods: readonly BoundMethod[];
  /** Functions that a call handler can listen to, in ABI order. */
  readonly calls: readonly BoundCall[];
}

export interface BoundEvent {
  readonly event: AbiEvent;
  /** `Transfer`, for an overload `Transfer1`. */
  readonly className: string;
  /** `Transfer__Params`. */
  readonly paramsClass: string;
  /** The members of `event.params`, one per input. */
  readonly params: readonly BoundParameter[];
  /** Index of the first original parameter. In a stand-in event, the original event's topic precedes it. */
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
  /** Type of the result; for several outputs the result class. */
  readonly resultType: AssemblyType;
  /** The class of several outputs; absent for one output. */
  readonly resultClass?: string;
}

export interface BoundCall {
  readonly fn: AbiFunction;
  /** `TransferCall`; overloads are numbered among the call functions only. */
  readonly className: string;
  readonly inputs: readonly BoundParameter[];
  readonly outputs: readonly BoundParameter[];
}

export interface BoundParameter {
  /** Name of the getter, method parameter or member in the binding. */
  readonly name: string;
  /** The name in the ABI; empty if unnamed. */
  readonly abiName: string;
  readonly type: SolidityType;
  readonly indexed: boolean;
  /** Type of the value; `Bytes` for an indexed value that is hashed. */
  readonly assemblyType: AssemblyType;
  /** The binding of the struct, or of the struct in a (possibly nested) list; absent for indexed parameters. */
  readonly struct?: BoundStruct;
}

export interface BoundStruct {
  readonly className: string;
  readonly components: readonly BoundParameter[];
}
