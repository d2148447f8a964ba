import type { BoundEvent, BoundMethod, BoundParameter } from "../../abi/bound-abi.js";
import { canonicalType, isHashedWhenIndexed, type SolidityType } from "../../abi/solidity-type.js";
import type { RelatedPlace } from "../../diagnostics/diagnostic.js";
import type { DeclaredCall } from "../../model/enrichment.js";
import type { AbiModel } from "../../model/subgraph.js";
import type { LocatedString, Location } from "../../source/source.js";
import type { SourceExpression } from "../expression-parser.js";

/** A candidate for a declared call. graph-node makes it before the handler, if its grammar can express the call. */
export interface DeclarableCall {
  readonly contract: AbiModel;
  readonly method: BoundMethod;
  /** The method's name in the configuration. */
  readonly name: LocatedString;
  /** The contract's address: an expression, a plain hex address, or absent for the triggering contract. */
  readonly source: SourceExpression | string | undefined;
  readonly args: readonly SourceExpression[];
}

/** Why a call cannot be declared, in a few words, and the text that prevents it. */
export interface Undeclarable {
  readonly part?: Location;
  readonly reason: string;
  readonly related?: readonly RelatedPlace[];
}

/**
 * Formats a call in the manifest's grammar. Checks the number and types of arguments, because graph-node does not
 * check them at deployment, but stalls on a wrong one later.
 * @param event the triggering event
 * @param overloaded whether its ABI has more events with that name
 */
export function declareCall(
  call: DeclarableCall,
  event: BoundEvent,
  overloaded: boolean,
): DeclaredCall | Undeclarable {
  const { contract, method } = call;
  const first = contract.abi.functions.find(({ name }) => name === method.fn.name);
  if (first?.index !== method.fn.index) {
    return {
      part: call.name.at,
      reason: "a declared call would use the first function with this name",
      related: first ? [{ at: first.locate(), text: "the first" }] : [],
    };
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
        part: expressionPlace(argument),
        reason: `${given} where ${wanted ? canonicalType(wanted) : "nothing"} is needed`,
        related: [{ at: method.fn.locate(["inputs", index, "type"]), text: "the parameter" }],
      };
    }
    args.push(operand);
  }
  const operands = [source, ...args];
  const member = operands.findIndex((operand) => operand.readsStruct);
  if (member !== -1 && overloaded) {
    const reader = [call.source, ...call.args][member];
    return {
      ...(typeof reader === "object" && { part: expressionPlace(reader) }),
      reason: "a member of a struct of an overloaded event",
      related: [{ at: event.event.locate(), text: "one of several events with this name" }],
    };
  }
  const list = args.map(({ text }) => text).join(", ");
  return {
    text: `${contract.className}[${source.text}].${method.fn.name}(${list})`,
    readsStruct: member !== -1,
  };
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
  return {
    part: expressionPlace(source),
    reason: `${canonicalType(operand.type)} where an address is needed`,
  };
}

function declareOperand(expression: SourceExpression, event: BoundEvent): Operand | Undeclarable {
  const { parsed } = expression;
  const literal = /^Address\s*\.\s*fromString\(\s*(["'`])(0x[0-9a-fA-F]{40})\1\s*\)$/.exec(parsed.text);
  if (literal) return { text: (literal[2] as string).toLowerCase(), type: address, readsStruct: false };
  const path = parsed.paths.length === 1 ? parsed.paths[0] : undefined;
  const names = path?.isWhole ? path.names.map(({ name }) => name) : [];
  if (names[0] === "event" && names[1] === "address" && names.length === 2) {
    return { text: "event.address", type: address, readsStruct: false };
  }
  if (names[0] !== "event" || names[1] !== "params" || names.length < 3) {
    return { part: expressionPlace(expression), reason: "neither an event parameter nor an address" };
  }
  return parameterOperand(names.slice(2), event.params, expressionPlace(expression));
}

function parameterOperand(
  getters: readonly string[],
  parameters: readonly BoundParameter[],
  part: Location,
): Operand | Undeclarable {
  let members = parameters;
  let found: BoundParameter | undefined;
  const text = ["event.params"];
  for (const getter of getters) {
    found = members.find(({ name }) => name === getter);
    if (!found || found.abiName === "") return { part, reason: "not a named parameter" };
    const { abiName } = found;
    // graph-node uses the first parameter of this name.
    if (members.find((member) => member.abiName === abiName) !== found)
      return { part, reason: "the second of two parameters with the same name" };
    text.push(found.abiName);
    members = found.type.kind === "tuple" && found.struct ? found.struct.components : [];
  }
  if (!found) return { part, reason: "not a parameter" };
  const hashed = found.indexed && isHashedWhenIndexed(found.type);
  return {
    text: text.join("."),
    type: hashed ? { kind: "fixedBytes", size: 32 } : found.type,
    readsStruct: getters.length > 1,
  };
}

/** The location of an expression, which may be in a list. */
function expressionPlace({ parsed, source }: SourceExpression): Location {
  return source.part(parsed.offset, parsed.offset + parsed.text.length);
}

/** graph-node's rule: integers and fixed bytes may be narrower than declared, all other types must be equal. */
function accepts(wanted: SolidityType, given: SolidityType): boolean {
  if (wanted.kind === "int" && given.kind === "int") {
    return wanted.signed === given.signed && given.bits <= wanted.bits;
  }
  if (wanted.kind === "fixedBytes" && given.kind === "fixedBytes") return given.size <= wanted.size;
  return canonicalType(wanted) === canonicalType(given);
}
