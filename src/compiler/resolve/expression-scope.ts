import type { SolidityType } from "../abi/solidity-type.js";
import type { HandlerTrigger } from "../model/handler.js";

/** A call as expressions see it. */
export interface KnownCall {
  readonly ref: string;
  /** Whether the enrichment aborts when it reverts. */
  readonly essential: boolean;
  /** Whether a condition says what happens when it reverts. */
  readonly isTested: boolean;
  /** The Solidity type of its result, when it has one output. */
  readonly result: SolidityType | undefined;
  /** Whether something is wrong with it, so that there will be no such member. */
  readonly isLost: boolean;
}

/** What an expression can see. */
export interface ExpressionScope {
  readonly trigger: HandlerTrigger;
  /** Calls by reference name, in the order they are made. */
  readonly calls: readonly KnownCall[];
  /** How many of them have been made when the expression is evaluated. */
  readonly callsMade: number;
  /** Whether `result` is there: only in a `post` condition. */
  readonly hasResult: boolean;
  /** The call that the expression belongs to; absent for what is evaluated after all calls. */
  readonly of?: CallPart;
}

/** The call that an expression belongs to, and what it is of it. */
export interface CallPart {
  readonly ref: string;
  /** Its condition before it, or another part. */
  readonly part: "pre" | "call";
  /** Whether another call and this one need each other, which was reported then. */
  readonly isInCycle: (ref: string) => boolean;
}

/** The call that `calls.<name>` belongs to: to `x` as well as to `x_reverted`. */
export function findCall<Call extends Pick<KnownCall, "ref">>(
  name: string,
  calls: readonly Call[],
): Call | undefined {
  const ref = name.replace(/_reverted$/, "");
  return calls.find((call) => call.ref === name || call.ref === ref);
}
