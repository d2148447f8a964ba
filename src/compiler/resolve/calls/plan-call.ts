import { quote } from "../../../base/text/quote.js";
import { type Abi, type AbiFunction, plainSignature } from "../../abi/abi.js";
import { canonicalType, type Parameter } from "../../abi/solidity-type.js";
import { correctName, nearName } from "../../diagnostics/correct-name.js";
import { type Details, rewrite } from "../../diagnostics/diagnostic.js";
import type { Report } from "../../diagnostics/report.js";
import type { AbiDeclaration, CallConfig } from "../../validate/config.js";
import type { SourceExpression } from "../expression-parser.js";
import { findEntry, namesOf, relatedEntries } from "../find-entry.js";
import { readExpressionList } from "../read-expression.js";
import type { Resolution } from "../resolution.js";

/** A configured call whose function is known. */
export interface PlannedCall {
  readonly config: CallConfig;
  readonly declaration: AbiDeclaration;
  readonly fn: AbiFunction;
  readonly args: readonly SourceExpression[];
}

/** A call with a reported error. The rest of the handler is still checked. */
export interface LostCall {
  readonly ref: string;
  /** Absent if not even its configuration is valid. */
  readonly config?: CallConfig;
  readonly args: readonly SourceExpression[];
}

/** A call of a handler, at its written position. */
export type WrittenCall = PlannedCall | LostCall;

/** Whether a call has no error. */
export function isPlanned(call: WrittenCall): call is PlannedCall {
  return "fn" in call;
}

export function refOf(call: WrittenCall): string {
  return isPlanned(call) ? call.config.ref.value : call.ref;
}

/** Resolves the function of a call and parses its arguments. Reports errors. */
export function planCall(
  config: CallConfig,
  declaration: AbiDeclaration | undefined,
  resolution: Resolution,
): WrittenCall {
  const { report } = resolution;
  const args = readArguments(config, resolution);
  const lost = { ref: config.ref.value, config, args: args ?? [] };
  const overloads = declaration && callableFunctions(config, declaration, report);
  if (!args || !overloads) return lost;
  const fn = chooseOverload(config, overloads, args.length, declaration, report);
  if (!fn) return lost;
  reportChange(config, fn, report);
  if (fn.inputs.length === args.length) return { config, declaration, fn, args };
  reportCount(config, fn, args, report);
  return lost;
}

function readArguments(
  { params, ref }: CallConfig,
  resolution: Resolution,
): readonly SourceExpression[] | undefined {
  if (!params?.value.trim()) return [];
  return readExpressionList(params, (index) => `argument ${index + 1} of call ${ref.value}`, resolution);
}

/** Warns of a call to a state-changing function: it is only simulated, and its changes are lost. */
function reportChange({ name }: CallConfig, fn: AbiFunction, report: Report): void {
  if (fn.mutability !== "nonpayable" || fn.isMutabilityAssumed) return;
  const message = `function ${quote(fn.name)} would change state, but mappings only read`;
  report.warning("call-changes-state", name.at, message, {
    label: `it is ${fn.mutability}`,
    related: [{ at: fn.locate(), text: "the function" }],
    notes: [
      "the call is only simulated: it returns what the function would return, and may revert if the contract checks the caller",
    ],
    hint: "call a view function instead, if the contract has one",
  });
}

/** Points to the superfluous arguments, or to where arguments are missing. */
function reportCount(
  { name, params }: CallConfig,
  fn: AbiFunction,
  args: readonly SourceExpression[],
  report: Report,
): void {
  const [wanted, given] = [fn.inputs.length, args.length];
  const takes = wanted === 0 ? "takes no arguments" : `takes ${count(wanted, "argument")}`;
  const [first, last] = [args[wanted], args.at(-1)];
  const surplus =
    params && first && last && params.part(first.parsed.offset, last.parsed.offset + last.parsed.text.length);
  const missing = fn.inputs.slice(given).map((input, index) => described(input, given + index));
  report.error(
    "wrong-argument-count",
    surplus ?? params?.at ?? name.at,
    `function ${quote(fn.name)} ${takes}, not ${given === 0 ? "none" : given}`,
    {
      label: surplus ? "too many" : params ? `only ${count(given, "argument")}` : 'called without "params"',
      related: [{ at: fn.locate(), text: takes }],
      hint: surplus
        ? wanted === 0
          ? 'remove "params"'
          : `pass only ${fn.inputs.map(described).join(" and ")}`
        : `add ${missing.join(" and ")} to "params"`,
    },
  );
}

function described({ name, type }: Parameter, position: number): string {
  return `${name === "" ? `argument ${position + 1}` : quote(name)} (${canonicalType(type)})`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** Why a binding has no method for a function; `undefined` if it has one. */
function notCallable(fn: AbiFunction): string | undefined {
  if (fn.mutability === "payable") return "it is payable";
  return fn.outputs.length === 0 ? "it returns nothing" : undefined;
}

/** Names of the functions of an ABI that can be called without arguments. */
export function plainFunctions({ abi }: AbiDeclaration): ReadonlySet<string> {
  const plain = abi.functions.filter((fn) => fn.inputs.length === 0 && notCallable(fn) === undefined);
  return new Set(plain.map(({ name }) => name));
}

/** All functions to which the name can refer. */
function callableFunctions(
  config: CallConfig,
  { abi, name: abiName }: AbiDeclaration,
  report: Report,
): readonly AbiFunction[] | undefined {
  const { name } = config;
  const isSignature = name.value.includes("(");
  const pool = { entries: abi.functions, abiName: abiName.value, kinds: "function" };
  const named = isSignature
    ? [findEntry(name, pool, report)].filter((fn) => fn !== undefined)
    : abi.functions.filter((fn) => fn.name === name.value);
  if (isSignature && named.length === 0) return undefined;
  const callable = named.filter((fn) => notCallable(fn) === undefined);
  if (callable.length > 0) return callable;
  const [first] = named;
  if (first) {
    report.error("function-not-callable", name.at, `a mapping cannot call function ${quote(first.name)}`, {
      label: notCallable(first),
      related: [{ at: first.locate(), text: "the function" }],
      notes: ["mappings only read from contracts: they send no ether and need a return value"],
      hint: "call a function that is not payable and returns a value",
    });
  } else {
    const message = `ABI ${quote(abiName.value)} has no function ${quote(name.value)}`;
    report.error("unknown-function", name.at, message, unknownFunction(config, abi));
  }
  return undefined;
}

function unknownFunction({ name, abi: ownAbi }: CallConfig, { functions, events }: Abi): Details {
  const callable = functions.filter((fn) => notCallable(fn) === undefined);
  const correction = correctName(name, new Set(callable.map((fn) => fn.name)));
  const near = nearName(name.value, new Set(callable.map((fn) => fn.name)));
  const nearest = callable.find((fn) => fn.name === near?.name);
  const event = events.find((candidate) => candidate.name === name.value);
  const where = ownAbi ? "the ABI of this call" : "the ABI of the instance";
  const tried = name.value.replace(/^try_/, "");
  if (tried !== name.value && callable.some((fn) => fn.name === tried)) {
    const label = "graphloom adds try_ to every call itself";
    return { label, hint: `write ${quote(tried)}`, fix: [rewrite(name, tried)] };
  }
  if (event) {
    const related = [{ at: event.locate(), text: "the event" }];
    return { label: "this is an event", related, hint: "name a function that returns a value" };
  }
  return {
    label: `looked up in ${where}`,
    ...(nearest
      ? { related: [{ at: nearest.locate(), text: "the nearest function" }] }
      : { notes: namesOf(callable, "callable functions") }),
    ...(correction ?? { hint: 'name the ABI of the called contract under "abi"' }),
  };
}

function chooseOverload(
  { name, params }: CallConfig,
  overloads: readonly AbiFunction[],
  argumentCount: number,
  { name: abiName }: AbiDeclaration,
  report: Report,
): AbiFunction | undefined {
  if (overloads.length === 1) return overloads[0];
  const fitting = overloads.filter((fn) => fn.inputs.length === argumentCount);
  if (fitting.length === 1) return fitting[0];
  const shown = fitting.length > 0 ? fitting : overloads;
  const example = shown[0];
  report.error(
    "ambiguous-function",
    name.at,
    `ABI ${quote(abiName.value)} has several functions named ${quote(name.value)}`,
    {
      label: `${shown.length} of them ${fitting.length > 0 ? `take ${count(argumentCount, "argument")}` : "can be called"}`,
      related: relatedEntries(shown),
      notes:
        fitting.length > 0
          ? []
          : [`none takes ${params ? count(argumentCount, "argument") : "no arguments"}`],
      hint: example && `write the full signature, such as "${plainSignature(example)}"`,
    },
  );
  return undefined;
}
