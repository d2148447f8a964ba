import type { EnrichmentCall, UserExpression } from "../../model/enrichment.js";
import type { EnrichmentContext, LogView } from "./enrichment-context.js";
import type { ModuleScope } from "./module-scope.js";

/** View of a call: a block that makes the call and stores its result. */
export interface CallView extends LogView {
  readonly ref: string;
  readonly doc: string;
  /** The members of the calls class, one declaration each. */
  readonly declaration: string;
  /** Whether the binding makes the call; otherwise a helper does, with the address as its first argument. */
  readonly isBound: boolean;
  readonly contractClass: string;
  readonly contract: string;
  readonly address: string;
  /** Whether the address is an expression, which is printed on separate lines. */
  readonly addressIsExpression: boolean;
  /** The text before the arguments: `contract.try_balanceOf(`. */
  readonly invocation: string;
  /** One per line; all but the last end in a comma. */
  readonly args: readonly string[];
  readonly abortsOnRevert: boolean;
  /** The conditions before and after the call; null if there is none. */
  readonly pre: ConditionView | null;
  readonly post: ConditionView | null;
}

/** View of a condition of a call. If it is false, the enrichment ends. */
interface ConditionView extends LogView {
  readonly ref: string;
  readonly when: "before" | "after";
  /** The local variable that holds its result. */
  readonly variable: string;
  readonly expression: string;
}

/** Names of the local variables in the block of a call. */
export interface CallLocals {
  readonly contract: string;
  /** The variables of the conditions before and after the call. */
  readonly isMet: string;
  readonly isHeld: string;
}

export function callView(
  call: EnrichmentCall,
  locals: CallLocals,
  log: LogView,
  context: EnrichmentContext,
): CallView {
  const { scope, mark, callHelpers } = context;
  const { method, ref, bindingSuffices: isBound } = call;
  const condition = (
    expression: UserExpression | undefined,
    when: ConditionView["when"],
    variable: string,
  ): ConditionView | null =>
    expression ? { ...log, ref, when, variable, expression: mark(expression) } : null;
  const declaration = callDeclaration(call, scope);
  const address = addressText(call, context);
  const args = call.args.map(mark);
  const addressIsExpression = call.source.kind === "expression";
  // A helper takes the address first. An address alone fits on the line.
  const addressIsAlone = !isBound && !addressIsExpression && args.length === 0;
  const invocation = isBound
    ? `${locals.contract}.${method.tryName}(`
    : `${callHelpers.helperFor(method, call.contract)}(${addressIsAlone ? address : ""}`;
  return {
    ...log,
    ref,
    doc: `${call.contract}.${method.fn.name}`,
    declaration,
    isBound,
    contractClass: isBound ? scope.contract(call.contract) : "",
    contract: locals.contract,
    address,
    addressIsExpression,
    invocation,
    args: withCommas(isBound || addressIsAlone ? args : [address, ...args]),
    // A condition on the result of a reverted call is never true.
    abortsOnRevert: call.essential || call.post !== undefined,
    pre: condition(call.pre, "before", locals.isMet),
    post: condition(call.post, "after", locals.isHeld),
  };
}

function withCommas(args: readonly string[]): readonly string[] {
  return args.map((argument, index) => (index === args.length - 1 ? argument : `${argument},`));
}

/**
 * A result is null until its call is made. If a revert ends the enrichment, no one reads the result while it is null.
 */
function callDeclaration({ ref, method, contract, essential }: EnrichmentCall, scope: ModuleScope): string {
  const { resultType } = method;
  const type = scope.type(resultType, contract);
  if (resultType.kind === "language" && resultType.name !== "string") {
    return `${ref}: ${type} = ${resultType.name === "i32" ? "0" : "false"};`;
  }
  return essential ? `${ref}!: ${type};` : `${ref}: ${type} | null = null;`;
}

function addressText({ source }: EnrichmentCall, { handler, scope, mark }: EnrichmentContext): string {
  switch (source.kind) {
    case "trigger":
      return handler.trigger.kind === "call" ? "call.to" : "event.address";
    case "address":
      return `${scope.graphTs("Address")}.fromString("${source.address}")`;
    case "expression":
      return mark(source.value);
  }
}
