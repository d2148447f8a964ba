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
}
