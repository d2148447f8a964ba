import { type AbiFunction, plainSignature } from "../abi/abi.js";
import type { Report } from "../diagnostics/report.js";
import { suggest } from "../diagnostics/suggest.js";
import type { AbiDeclaration, CallConfig } from "../validate/config.js";
import { type ExpressionParser, readExpressionList, type SourceExpression } from "./expression-parser.js";
import { findEntry } from "./find-entry.js";

/** A configured call whose function is known. */
export interface PlannedCall {
  readonly config: CallConfig;
  readonly declaration: AbiDeclaration;
  readonly fn: AbiFunction;
  readonly args: readonly SourceExpression[];
}

/** Finds the function a call means and parses its arguments; `undefined` after a reported error. */
export function planCall(
  config: CallConfig,
  declaration: AbiDeclaration,
  parser: ExpressionParser,
  report: Report,
): PlannedCall | undefined {
  const args = config.params?.value.trim()
    ? readExpressionList(
        config.params,
        (index) => `argument ${index + 1} of call ${config.ref.value}`,
        parser,
        report,
      )
    : [];
  const candidates = callableFunctions(config, declaration, report);
  if (!args || !candidates) return undefined;
  const fn = chooseOverload(config, candidates, args.length, declaration, report);
  if (!fn) return undefined;
  if (fn.inputs.length !== args.length) {
    report.error(
      "wrong-argument-count",
      config.params?.at ?? config.name.at,
      `${plainSignature(fn)} takes ${count(fn.inputs.length, "argument")}, this call gives ${args.length || "none"}`,
      {
        hint:
          fn.inputs.length === 0
            ? 'remove "params"'
            : `write ${count(fn.inputs.length, "expression")} in "params"`,
      },
    );
    return undefined;
  }
  return { config, declaration, fn, args };
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** Why a binding has no method for a function, or `undefined` when it has one. */
function notCallable(fn: AbiFunction): string | undefined {
  if (fn.mutability === "payable") return "it is payable";
  return fn.outputs.length === 0 ? "it returns nothing" : undefined;
}

/** Every function the name can mean. */
function callableFunctions(
  { name }: CallConfig,
  { abi, name: abiName }: AbiDeclaration,
  report: Report,
): readonly AbiFunction[] | undefined {
  const isSignature = name.value.includes("(");
  const named = isSignature
    ? [findEntry(name, abi.functions, abiName.value, "function", report)].filter((fn) => fn !== undefined)
    : abi.functions.filter((fn) => fn.name === name.value);
  if (isSignature && named.length === 0) return undefined;
  const callable = named.filter((fn) => notCallable(fn) === undefined);
  if (callable.length > 0) return callable;
  const [first] = named;
  if (first) {
    report.error(
      "function-not-callable",
      name.at,
      `function ${plainSignature(first)} cannot be read: ${notCallable(first)}`,
    );
  } else {
    const near = suggest(
      name.value,
      new Set(abi.functions.filter((fn) => !notCallable(fn)).map((fn) => fn.name)),
    );
    report.error("unknown-function", name.at, `ABI "${abiName.value}" has no function "${name.value}"`, {
      hint: near.length > 0 ? `write ${near.map((found) => `"${found}"`).join(" or ")}` : undefined,
    });
  }
  return undefined;
}

function chooseOverload(
  { name }: CallConfig,
  candidates: readonly AbiFunction[],
  argumentCount: number,
  { name: abiName }: AbiDeclaration,
  report: Report,
): AbiFunction | undefined {
  if (candidates.length === 1) return candidates[0];
  const fitting = candidates.filter((fn) => fn.inputs.length === argumentCount);
  if (fitting.length === 1) return fitting[0];
  report.error(
    "ambiguous-function",
    name.at,
    `ABI "${abiName.value}" has several functions "${name.value}", and ${count(argumentCount, "argument")} ${
      argumentCount === 1 ? "does" : "do"
    } not decide which`,
    { hint: `write one of ${candidates.map((fn) => `"${plainSignature(fn)}"`).join(", ")}` },
  );
  return undefined;
}
