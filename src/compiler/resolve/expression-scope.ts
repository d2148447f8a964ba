import type { SolidityType } from "../abi/solidity-type.js";
import type { HandlerTrigger } from "../model/handler.js";

/** A call as visible to expressions. */
export interface KnownCall {
  readonly ref: string;
  /** Whether a revert aborts the enrichment. */
  readonly essential: boolean;
  /** Whether a condition handles its revert. */
  readonly isTested: boolean;
  /** The Solidity type of its result, if it has one output. */
  readonly result: SolidityType | undefined;
  /** Whether it has a reported error, so that the member does not exist. */
  readonly isLost: boolean;
  /** The name of its function, if known. */
  readonly fn?: string;
}

export interface ExpressionScope {
  readonly trigger: HandlerTrigger;
  /** Names of the contract's functions that can be called without arguments. */
  readonly functions: ReadonlySet<string>;
  /** Calls by reference name, in the order in which they are made. */
  readonly calls: readonly KnownCall[];
  /** The number of calls made before the expression is evaluated. */
  readonly callsMade: number;
  /** Whether `result` is in scope: only in a `post` condition. */
  readonly hasResult: boolean;
  /** The call to which the expression belongs; absent for expressions evaluated after all calls. */
  readonly of?: CallPart;
}

/** The call to which an expression belongs, and its role. */
export interface CallPart {
  readonly ref: string;
  /** The `pre` condition, or any other part. */
  readonly part: "pre" | "call";
  /** Whether another call forms a reported cycle with this one. */
  readonly isInCycle: (ref: string) => boolean;
}

/** The call behind `calls.<name>`, for `x` and for `x_reverted`. */
export function findCall<Call extends Pick<KnownCall, "ref">>(
  name: string,
  calls: readonly Call[],
): Call | undefined {
  const ref = name.replace(/_reverted$/, "");
  return calls.find((call) => call.ref === name || call.ref === ref);
}

/** The call with this name, or else the only call of the function with this name. */
export function callNamed(name: string, calls: readonly KnownCall[]): KnownCall | undefined {
  const byRef = calls.find(({ ref }) => ref === name);
  const [only, ...others] = calls.filter(({ fn }) => fn === name);
  return byRef ?? (others.length === 0 ? only : undefined);
}

/** How to declare a call to a function without arguments in a handler with these calls. */
export function declarationOf(fn: string, calls: readonly KnownCall[]): string {
  const call = `"${fn}": { "name": "${fn}" }`;
  return calls.length > 0 ? `${call} to "calls"` : `"calls": { ${call} } to the handler`;
}
