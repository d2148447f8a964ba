import { quote } from "../../base/quote.js";
import { nearName } from "../diagnostics/correct-name.js";
import type { Details, Edit } from "../diagnostics/diagnostic.js";
import type { Report } from "../diagnostics/report.js";
import type { HandlerTrigger } from "../model/handler.js";
import type { Location } from "../source/source.js";
import type { NameUse, PathUse } from "../syntax/parsed-expression.js";
import { checkHazards } from "./check-hazards.js";
import { holeFor, type SourceExpression } from "./expression-parser.js";
import { type ExpressionScope, findCall, type KnownCall } from "./expression-scope.js";

/**
 * Reports unresolved references of an expression, and hazards at run time.
 * @returns the expression, or a placeholder when it cannot be compiled
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
    if (root !== "result" || scope.hasResult) return true;
    report.error(
      "result-out-of-scope",
      placeOf(expression, path.names[0]),
      `"result" exists only in a "post" condition`,
      { label: "there is no call to have a result", hint: "write calls. and the name of the call" },
    );
    return false;
  });
  const isSound = hazardless && sound.every((one) => one);
  return isSound ? expression : holeFor(expression.source, expression.what);
}

function placeOf({ source }: SourceExpression, use: NameUse | undefined): Location {
  return use ? source.part(use.offset, use.offset + use.name.length) : source.at;
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
  const at = placeOf(expression, use);
  const call = findCall(use.name, calls);
  if (!call) {
    report.error("unknown-call", at, `there is no call ${quote(use.name)}`, {
      label: "not a call of this handler",
      ...correctUse(
        expression,
        use,
        calls.map((known) => known.ref),
        "calls.",
      ),
    });
    return false;
  }
  if (calls.indexOf(call) >= callsMade) reportTooEarly(use.name, at, call, scope, report);
  return !call.isLost;
}

/** The call is not made yet: it is this one or a later one. */
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
            'write the test as "post", which is evaluated after the call',
          ]
        : [
            `call ${ref} needs its own result`,
            "the call is made with this",
            `do without calls.${call.ref} here`,
          ];
    report[severity]("call-not-made-yet", at, fact, { label, hint });
    return;
  }
  const fact = call.essential
    ? `call ${ref} has not been made here yet`
    : `calls.${name} holds nothing here yet`;
  report[severity]("call-not-made-yet", at, fact, {
    label: "the call comes later",
    hint: `move ${ref} before this call`,
  });
}

/** The probable name, or all names when they are few. */
function correctUse(
  { source }: SourceExpression,
  use: NameUse,
  known: readonly string[],
  before: string,
): Pick<Details, "hint" | "fix"> {
  const near = nearName(use.name, known);
  if (near) {
    const end = use.offset + use.name.length;
    const fix: Edit = { kind: "part", of: source, start: use.offset, end, text: near.name };
    return { hint: `write ${before}${near.name}`, ...(near.certain && { fix: [fix] }) };
  }
  if (known.length === 0) return {};
  const some = known.length > 8 ? [...known.slice(0, 8), "…"] : known;
  return { hint: `write one of ${some.map((name) => (name === "…" ? name : before + name)).join(", ")}` };
}

/** The members with a trigger's parameters, and the parameters' names. */
function parameterLists(trigger: HandlerTrigger): ReadonlyMap<string, readonly string[]> {
  if (trigger.kind === "event") return new Map([["params", trigger.bound.params.map(({ name }) => name)]]);
  return new Map([
    ["inputs", trigger.bound.inputs.map(({ name }) => name)],
    ["outputs", trigger.bound.outputs.map(({ name }) => name)],
  ]);
}

function checkTrigger(
  expression: SourceExpression,
  { names }: PathUse,
  { trigger }: ExpressionScope,
  report: Report,
): boolean {
  const [root, member, parameter] = names;
  if (root && root.name !== trigger.kind) {
    report.error(
      "wrong-trigger",
      placeOf(expression, root),
      `there is no ${quote(root.name)} in this handler`,
      {
        label: `this is a handler of ${trigger.kind}s`,
        hint: `write ${trigger.kind}`,
      },
    );
    return false;
  }
  const known = parameterLists(trigger).get(member?.name ?? "");
  if (!known || !member || !parameter || known.includes(parameter.name)) return true;
  const entry = trigger.kind === "event" ? trigger.bound.event : trigger.bound.fn;
  const kind = trigger.kind === "event" ? "event" : "function";
  report.error(
    "unknown-parameter",
    placeOf(expression, parameter),
    `${kind} ${quote(entry.name)} has no ${nouns.get(member.name) ?? "parameter"} ${quote(parameter.name)}`,
    {
      label: `not ${nouns.get(member.name) === "output" ? "an output" : "a parameter"} of this ${kind}`,
      related: [{ at: entry.locate(), text: `the ${kind}` }],
      notes: [known.length > 0 ? `there are ${known.join(", ")}` : "it has none"],
      ...correctUse(expression, parameter, known, `${trigger.kind}.${member.name}.`),
    },
  );
  return false;
}

const nouns: ReadonlyMap<string, string> = new Map([
  ["params", "parameter"],
  ["inputs", "parameter"],
  ["outputs", "output"],
]);
