import type { BoundEvent, BoundMethod, BoundParameter } from "../abi/bound-abi.js";
import { canonicalType, isHashedWhenIndexed, type SolidityType } from "../abi/solidity-type.js";
import type { DeclaredCall } from "../model/enrichment.js";
import type { AbiModel } from "../model/subgraph.js";
import type { LocatedString } from "../source/source.js";
import type { SourceExpression } from "./expression-parser.js";

/** A call that graph-node could make before the handler, if its grammar can say it. */
export interface DeclarableCall {
  readonly contract: AbiModel;
  readonly method: BoundMethod;
  /** The contract's address: an expression, a plain hex address, or absent for the triggering contract. */
  readonly source: SourceExpression | string | undefined;
  readonly args: readonly SourceExpression[];
}

/** Why a call cannot be declared, and which text prevents it. */
export interface Undeclarable {
  readonly part?: LocatedString;
  readonly reason: string;
}

/**
 * Writes a call in the manifest's grammar. graph-node checks neither the number nor the types of the arguments when
 * a subgraph is deployed and stalls on a wrong one later, so both are checked here.
 * @param event the triggering event; `overloaded` when its ABI has another of that name
 */
export function declareCall(
  call: DeclarableCall,
  event: BoundEvent,
  overloaded: boolean,
): DeclaredCall | Undeclarable {
  const { contract, method } = call;
  const first = contract.abi.functions.find(({ name }) => name === method.fn.name);
  if (first?.index !== method.fn.index) {
    return { reason: `${method.fn.name} is overloaded, and a declared call always means the first overload` };
  }
  const source = declareSource(call.source, event);
  if ("reason" in source) return source;
  const args: Operand[] = [];
  for (const [index, argument] of call.args.entries()) {
    const operand = declareOperand(argument, event);
    if ("reason" in operand) return operand;
    const wanted = method.inputs[index]?.type;
    if (!wanted || !accepts(wanted, operand.type)) {
      const given = canonicalType(operand.type);
      return {
        part: argument.source,
        reason: `${argument.what} is ${given} where ${wanted ? canonicalType(wanted) : "nothing"} is declared`,
      };
    }
    args.push(operand);
  }
  const readsStruct = [source, ...args].some((operand) => operand.readsStruct);
  if (readsStruct && overloaded) {
    return { reason: `a struct member cannot be read from ${event.event.name}, which is overloaded` };
  }
  const list = args.map(({ text }) => text).join(", ");
  return { text: `${contract.className}[${source.text}].${method.fn.name}(${list})`, readsStruct };
}

interface Operand {
  readonly text: string;
  readonly type: SolidityType;
  readonly readsStruct: boolean;
}

const address: SolidityType = { kind: "address" };

function declareSource(source: DeclarableCall["source"], event: BoundEvent): Operand | Undeclarable {
  if (source === undefined) return { text: "event.address", type: address, readsStruct: false };
  if (typeof source === "string") return { text: source, type: address, readsStruct: false };
  const operand = declareOperand(source, event);
  if ("reason" in operand || operand.type.kind === "address") return operand;
  return { part: source.source, reason: `${source.what} is no address` };
}

function declareOperand(expression: SourceExpression, event: BoundEvent): Operand | Undeclarable {
  const { parsed, source, what } = expression;
  const literal = /^Address\s*\.\s*fromString\(\s*(["'`])(0x[0-9a-fA-F]{40})\1\s*\)$/.exec(parsed.text);
  if (literal) return { text: (literal[2] as string).toLowerCase(), type: address, readsStruct: false };
  const path = parsed.paths.length === 1 ? parsed.paths[0] : undefined;
  const names = path?.isWhole ? path.names.map(({ name }) => name) : [];
  if (names[0] === "event" && names[1] === "address" && names.length === 2) {
    return { text: "event.address", type: address, readsStruct: false };
  }
  if (names[0] !== "event" || names[1] !== "params" || names.length < 3) {
    return { part: source, reason: `${what} is more than a parameter of the event or an address` };
  }
  return parameterOperand(names.slice(2), event.params, what, source);
}

function parameterOperand(
  getters: readonly string[],
  parameters: readonly BoundParameter[],
  what: string,
  source: LocatedString,
): Operand | Undeclarable {
  let members = parameters;
  let found: BoundParameter | undefined;
  const text = ["event.params"];
  for (const getter of getters) {
    found = members.find(({ name }) => name === getter);
    if (!found || found.abiName === "") return { part: source, reason: `${what} is not a named parameter` };
    text.push(found.abiName);
    members = found.type.kind === "tuple" && found.struct ? found.struct.components : [];
  }
  if (!found) return { part: source, reason: `${what} is not a parameter` };
  const hashed = found.indexed && isHashedWhenIndexed(found.type);
  return {
    text: text.join("."),
    type: hashed ? { kind: "fixedBytes", size: 32 } : found.type,
    readsStruct: getters.length > 1,
  };
}

/** graph-node's rule: integers and fixed bytes may be narrower than declared, everything else must be equal. */
function accepts(wanted: SolidityType, given: SolidityType): boolean {
  if (wanted.kind === "int" && given.kind === "int") {
    return wanted.signed === given.signed && given.bits <= wanted.bits;
  }
  if (wanted.kind === "fixedBytes" && given.kind === "fixedBytes") return given.size <= wanted.size;
  return canonicalType(wanted) === canonicalType(given);
}
