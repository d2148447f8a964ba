import { quote } from "../../../base/text/quote.js";
import type { Details } from "../../diagnostics/diagnostic.js";
import type { Report } from "../../diagnostics/report.js";
import type { Location } from "../../source/source.js";
import type { NameUse, PathUse } from "../../syntax/parsed-expression.js";
import { holeFor, type SourceExpression } from "../expression-parser.js";
import {
  callNamed,
  declarationOf,
  type ExpressionScope,
  findCall,
  type KnownCall,
} from "../expression-scope.js";
import { checkHazards } from "./check-hazards.js";
import { checkName, checkTrigger } from "./check-names.js";
import { correctUse, locationOf, putInPlace } from "./correct-use.js";

/**
 * Reports unresolved references of an expression, and hazards at run time.
 * @returns the expression, or a placeholder if it cannot be compiled
 */
export function checkExpression(
  expression: SourceExpression,
  scope: ExpressionScope,
  report: Report,
): SourceExpression {
  const hazardless = checkHazards(expression, scope, report);
  const sound = expression.parsed.paths.map((path) => {
    const root = path.names[0]?.name;
    if (root === "calls") return checkCallReference(expression, path, scope, report);
    if (root === "event" || root === "call") return checkTrigger(expression, path, scope, report);
    if (root !== "result") return checkName(expression, path, scope, report);
    if (scope.hasResult) return true;
    report.error(
      "result-out-of-scope",
      locationOf(expression, path.names[0]),
      `"result" exists only in a "post" condition`,
      { label: "no call is being tested here", hint: "write calls.<name> with the name of the call" },
    );
    return false;
  });
  const isSound = hazardless && sound.every((one) => one);
  return isSound ? expression : holeFor(expression.source, expression.what);
}

function checkCallReference(
  expression: SourceExpression,
  { names }: PathUse,
  scope: ExpressionScope,
  report: Report,
): boolean {
  const { calls, callsMade } = scope;
  const use = names[1];
  if (!use) return true;
  const at = locationOf(expression, use);
  const call = findCall(use.name, calls);
  if (!call) {
    report.error("unknown-call", at, `there is no call ${quote(use.name)}`, {
      label: "not a call of this handler",
      ...correctCall(expression, use, scope),
    });
    return false;
  }
  if (calls.indexOf(call) >= callsMade) reportTooEarly(use.name, at, call, scope, report);
  return !call.isLost;
}

/** The call that was probably intended, or how to turn the contract's function with this name into a call. */
function correctCall(
  expression: SourceExpression,
  use: NameUse,
  { calls, functions }: ExpressionScope,
): Pick<Details, "hint" | "fix"> {
  const byFunction = callNamed(use.name, calls);
  if (byFunction) return putInPlace(expression, use, byFunction.ref, "calls.");
  if (functions.has(use.name)) return { hint: `add ${declarationOf(use.name, calls)}` };
  const refs = calls.map(({ ref }) => ref);
  return correctUse(expression, use, refs, "calls.");
}

/** Reports a read of a call that has not been made yet: this one, or a later one. */
function reportTooEarly(
  name: string,
  at: Location,
  call: KnownCall,
  { of }: ExpressionScope,
  report: Report,
): void {
  const severity = call.essential ? "error" : "warning";
  const ref = quote(call.ref);
  if (of?.isInCycle(call.ref)) return;
  if (of?.ref === call.ref) {
    const [fact, label, hint] =
      of.part === "pre"
        ? [
            `call ${ref} is tested before it is made`,
            "the call is made after this test",
            'move the test to "post", which is evaluated after the call',
          ]
        : [
            `call ${ref} needs its own result`,
            "evaluated before the call is made",
            `do not use calls.${call.ref} here`,
          ];
    report[severity]("call-not-made-yet", at, fact, { label, hint });
    return;
  }
  const fact = call.essential
    ? `call ${ref} has not been made at this point`
    : `calls.${name} has no value at this point`;
  report[severity]("call-not-made-yet", at, fact, {
    label: "the call comes later",
    hint: `move ${ref} before this call`,
  });
}
