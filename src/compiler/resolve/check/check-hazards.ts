import type { SolidityType } from "../../abi/solidity-type.js";
import type { Report } from "../../diagnostics/report.js";
import type { Abort } from "../../syntax/parsed-expression.js";
import { replacement, type SourceExpression } from "../expression-parser.js";
import type { ExpressionScope } from "../expression-scope.js";

/**
 * Reports hazards: parts of an expression that compile but fail at run time.
 * @returns whether no hazard is an error
 */
export function checkHazards(expression: SourceExpression, scope: ExpressionScope, report: Report): boolean {
  const { parsed, source, what } = expression;
  for (const { offset, length, code, severity, fact, label, hint, fix } of parsed.hazards) {
    const details = { label, hint, fix: fix?.map((one) => replacement(source, one)) };
    report[severity](code, source.part(offset, offset + length), `${what} ${fact}`, details);
  }
  for (const abort of parsed.aborts) {
    const found = abort.isGuarded ? undefined : whyItAborts(abort, scope);
    if (!found) continue;
    const { label, hint } = found;
    report.warning(
      "may-abort",
      source.part(abort.offset, abort.offset + abort.length),
      `${what} can stop the subgraph`,
      { label, hint },
    );
  }
  return parsed.hazards.every(({ severity }) => severity !== "error");
}

interface Reason {
  readonly label: string;
  readonly hint: string;
}

function whyItAborts({ kind, path, index }: Abort, scope: ExpressionScope): Reason | undefined {
  const [root = "", member = "", name = "", ...more] = path.split(".");
  if (kind === "null") {
    if (path === `${scope.trigger.kind}.transaction.to`) {
      return {
        label: "null when the transaction creates a contract",
        hint: `handle null: ${path} === null ? … : ${path}!`,
      };
    }
    const call = root === "calls" && name === "" && scope.calls.find(({ ref }) => ref === member);
    if (!call || call.essential || call.isTested) return undefined;
    return {
      label: "null when the call reverts",
      hint: `mark call "${member}" as "required": true, or write ${path} === null ? … : ${path}!`,
    };
  }
  const type = more.length === 0 ? typeOfList(root, member, name, scope) : undefined;
  if (type?.kind !== "array") return undefined;
  if (type.length !== null && (index === undefined || index < type.length)) return undefined;
  if (type.length !== null) {
    return { label: `it has ${type.length} elements`, hint: `write an index below ${type.length}` };
  }
  if (index === undefined) return undefined;
  return {
    label: `fails when there are fewer than ${index + 1} elements`.replace(
      "fewer than 1 elements",
      "no elements",
    ),
    hint: `test the length: ${path}.length > ${index} ? ${path}[${index}] : …`,
  };
}

/** The type of a parameter of the trigger, or of a call's result. */
function typeOfList(
  root: string,
  member: string,
  name: string,
  { trigger, calls }: ExpressionScope,
): SolidityType | undefined {
  if (root === "calls") return name === "" ? calls.find(({ ref }) => ref === member)?.result : undefined;
  if (root !== trigger.kind) return undefined;
  const lists =
    trigger.kind === "event"
      ? { params: trigger.bound.params, inputs: [], outputs: [] }
      : { params: [], inputs: trigger.bound.inputs, outputs: trigger.bound.outputs };
  if (member !== "params" && member !== "inputs" && member !== "outputs") return undefined;
  const parameter = lists[member].find((candidate) => candidate.name === name);
  return parameter?.indexed ? undefined : parameter?.type;
}
