import type { Report } from "../diagnostics/report.js";
import { suggest } from "../diagnostics/suggest.js";
import type { Trigger } from "../model/handler.js";
import type { Location } from "../source/source.js";
import type { SourceExpression } from "./expression-parser.js";
import type { NameUse, PathUse } from "./parse-expression.js";

/** What an expression can see. */
export interface ExpressionScope {
  readonly trigger: Trigger;
  /** Calls by reference name, in the order they are made. */
  readonly calls: readonly { readonly ref: string; readonly essential: boolean }[];
  /** How many of them have been made when the expression is evaluated. */
  readonly callsMade: number;
  /** Whether `result` is there: only in a `post` condition. */
  readonly hasResult: boolean;
}

/** Reports every reference of an expression that leads nowhere. */
export function checkExpression(expression: SourceExpression, scope: ExpressionScope, report: Report): void {
  for (const path of expression.parsed.paths) {
    const root = path.names[0]?.name;
    if (root === "calls") checkCallReference(expression, path, scope, report);
    else if (root === "event" || root === "call") checkTrigger(expression, path, scope, report);
    else if (root === "result" && !scope.hasResult) {
      report.error(
        "result-out-of-scope",
        placeOf(expression, path.names[0]),
        `"result" exists only in a "post" condition`,
        { hint: "write calls. and the name of the call" },
      );
    }
  }
}

function placeOf({ source }: SourceExpression, use: NameUse | undefined): Location {
  return use ? source.part(use.offset, use.offset + use.name.length) : source.at;
}

function checkCallReference(
  expression: SourceExpression,
  { names }: PathUse,
  { calls, callsMade }: ExpressionScope,
  report: Report,
): void {
  const use = names[1];
  if (!use) return;
  const ref = use.name.replace(/_reverted$/, "");
  const position = calls.findIndex((call) => call.ref === use.name || call.ref === ref);
  const call = calls[position];
  if (!call) {
    const near = suggest(
      use.name,
      calls.map((known) => known.ref),
    );
    const known = calls.map((candidate) => candidate.ref).join(", ");
    report.error("unknown-call", placeOf(expression, use), `there is no call "${use.name}"`, {
      hint:
        near.length > 0
          ? `write calls.${near[0]}`
          : known
            ? `the calls are ${known}`
            : 'declare it under "calls"',
    });
  } else if (position >= callsMade && call.essential) {
    report.error(
      "call-not-made-yet",
      placeOf(expression, use),
      `call "${call.ref}" has not been made here yet`,
      {
        hint: `move "${call.ref}" before this call`,
      },
    );
  } else if (position >= callsMade) {
    report.warning(
      "call-not-made-yet",
      placeOf(expression, use),
      `calls.${use.name} holds nothing here yet: the call comes later`,
      {
        hint: `move "${call.ref}" before this call`,
      },
    );
  }
}

/** The members that hold a trigger's parameters, with the names below them. */
function parameterLists(trigger: Trigger): ReadonlyMap<string, readonly string[]> {
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
): void {
  const [root, member, parameter] = names;
  if (root && root.name !== trigger.kind) {
    report.error(
      "wrong-trigger",
      placeOf(expression, root),
      `this handler is for ${trigger.kind}s, there is no "${root.name}"`,
      {
        hint: `write ${trigger.kind}`,
      },
    );
    return;
  }
  const known = parameterLists(trigger).get(member?.name ?? "");
  if (!known || !parameter || known.includes(parameter.name)) return;
  const near = suggest(parameter.name, known);
  report.error(
    "unknown-parameter",
    placeOf(expression, parameter),
    `${trigger.kind} ${trigger.bound.className} has no parameter "${parameter.name}"`,
    {
      notes: [known.length > 0 ? `its parameters are ${known.join(", ")}` : "it has no parameters"],
      hint: near.length > 0 ? `write ${near[0]}` : undefined,
    },
  );
}
