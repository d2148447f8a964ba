import { quote } from "../../../base/text/quote.js";
import type { Details } from "../../diagnostics/diagnostic.js";
import type { Report } from "../../diagnostics/report.js";
import type { PathUse } from "../../syntax/parsed-expression.js";
import { replacement, type SourceExpression } from "../expression-parser.js";
import { callNamed, declarationOf, type ExpressionScope } from "../expression-scope.js";
import { correctUse, locationOf } from "./correct-use.js";
import { type Meant, meantByPath, meantOfTrigger, parameterLists } from "./meant-names.js";

/**
 * Reports an unknown name if its meaning is certain. The compiler judges all other names.
 * @returns whether there was nothing to report
 */
export function checkName(
  expression: SourceExpression,
  path: PathUse,
  scope: ExpressionScope,
  report: Report,
): boolean {
  const { names, call } = path;
  const [root] = names;
  if (!root) return true;
  const words = names.map(({ name }) => name);
  const meant = meantByPath(words, call?.argumentCount, scope);
  const found = meant
    ? { label: meant.label, ...written(expression, path, meant) }
    : ofContract(expression, path, scope);
  if (!found) return true;
  report.error(
    "unknown-name",
    locationOf(expression, root),
    `${quote(root.name)} is not defined in expressions`,
    found,
  );
  return false;
}

/** A call to a contract function in the style of mappings and other libraries. */
function ofContract(
  { source }: SourceExpression,
  { names, call }: PathUse,
  { calls, functions, trigger: { kind } }: ExpressionScope,
): Details | undefined {
  const [root, method] = names;
  const isAddress = root?.name === "contract" && method?.name === "address";
  const own = root && call && /^address\(\s*this\s*\)$/.test(source.value.slice(root.offset, call.end));
  if (root && (own || (isAddress && !(call && names.length === 2)))) {
    const end = own ? call.end : method ? method.offset + method.name.length : 0;
    const text = kind === "event" ? "event.address" : "call.to";
    const fix = replacement(source, { offset: root.offset, length: end - root.offset, text });
    return { label: `a member of the ${kind}`, hint: `write ${text}`, fix: [fix] };
  }
  const isBound = method?.name === "bind" && names.length === 2;
  const called = isBound ? call?.method : call;
  const fn = (isBound ? call?.method?.name : names.length === 2 ? method?.name : "")?.replace(/^try_/, "");
  if (!root || !called || !fn) return undefined;
  const known = callNamed(fn, calls);
  if (!isBound && !known && !functions.has(fn)) return undefined;
  const label = "expressions cannot call contracts";
  if (known) {
    const text = `calls.${known.ref}`;
    const fix = replacement(source, { offset: root.offset, length: called.end - root.offset, text });
    return { label, hint: `write ${text}`, ...(called.argumentCount === 0 && { fix: [fix] }) };
  }
  if (functions.has(fn)) return { label, hint: `add ${declarationOf(fn, calls)}, then write calls.${fn}` };
  return { label, hint: `declare a call of ${quote(fn)} under "calls", then write calls.<name>` };
}

/** The hint with the intended name, and the fix that writes it. */
function written(
  { source }: SourceExpression,
  { names, call }: PathUse,
  { count, text }: Meant,
): Pick<Details, "hint" | "fix"> {
  const [first, last] = [names[0], names[count - 1]];
  // A whole block cannot be stored, so the hint names a member that can.
  const member = /\.(?:block|transaction)$/.test(text) ? names[count] : undefined;
  const hint = `write ${text}${member ? `.${member.name}` : ""}`;
  if (!first || !last) return { hint };
  // A call's result is not a function, so the fix also removes the parentheses.
  const isCalled = call && count === names.length;
  if (isCalled && call.argumentCount > 0) return { hint };
  const end = isCalled ? call.end : last.offset + last.name.length;
  return { hint, fix: [replacement(source, { offset: first.offset, length: end - first.offset, text })] };
}

/**
 * Reports reads of members that the event or call does not have.
 * @returns whether there was nothing to report
 */
export function checkTrigger(
  expression: SourceExpression,
  path: PathUse,
  scope: ExpressionScope,
  report: Report,
): boolean {
  const { names } = path;
  const { trigger } = scope;
  const [root, member, parameter] = names;
  const words = names.map(({ name }) => name);
  if (root && root.name !== trigger.kind) {
    const meant = meantOfTrigger(words, scope);
    report.error(
      "wrong-trigger",
      locationOf(expression, root),
      `there is no ${quote(root.name)} in this handler`,
      {
        label: `this is ${trigger.kind === "event" ? "an event" : "a call"} handler`,
        ...(meant ? written(expression, path, meant) : { hint: `write ${trigger.kind}` }),
      },
    );
    return false;
  }
  const known = parameterLists(trigger).get(member?.name ?? "");
  if (!known) return checkMember(expression, path, scope, report);
  if (!member || !parameter || known.includes(parameter.name)) return true;
  const entry = trigger.kind === "event" ? trigger.bound.event : trigger.bound.fn;
  const kind = trigger.kind === "event" ? "event" : "function";
  report.error(
    "unknown-parameter",
    locationOf(expression, parameter),
    `${kind} ${quote(entry.name)} has no ${nouns.get(member.name) ?? "parameter"} ${quote(parameter.name)}`,
    {
      label: `not ${nouns.get(member.name) === "output" ? "an output" : "a parameter"} of this ${kind}`,
      related: [{ at: entry.locate(), text: `the ${kind}` }],
      notes: [known.length > 0 ? `it has ${known.join(", ")}` : "it has none"],
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

/** A read of the event or call itself: one of its members, or a member that it has in other tools. */
function checkMember(
  expression: SourceExpression,
  path: PathUse,
  scope: ExpressionScope,
  report: Report,
): boolean {
  const [root, member] = path.names;
  const { kind } = scope.trigger;
  if (!root || !member || membersOf[kind].has(member.name)) return true;
  const meant = meantOfTrigger(
    path.names.map(({ name }) => name),
    scope,
  );
  if (!meant) return true;
  report.error(
    "unknown-name",
    locationOf(expression, member),
    `${kind === "event" ? "an event" : "a call"} has no member ${quote(member.name)}`,
    { label: meant.label, ...written(expression, path, meant) },
  );
  return false;
}

/** The members of an event and of a call, except those with the parameters. */
const membersOf = {
  event: new Set("address logIndex transactionLogIndex logType block transaction receipt".split(" ")),
  call: new Set("to from block transaction inputValues outputValues".split(" ")),
};
