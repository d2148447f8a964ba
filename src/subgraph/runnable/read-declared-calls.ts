import type { EventFragment, ParamType } from "ethers/abi";
import type { Abi } from "../abi.js";
import type { ManifestNode } from "../manifest/manifest-node.js";
import type { CallOperand, EntityOperand, ParsedCall } from "./built-subgraph.js";
import { isAtLeast } from "./versions.js";

/** What the expressions of a declared call may refer to. */
export interface CallScope {
  readonly specVersion: string;
  /** The event that the handler listens to. */
  readonly event: EventFragment;
  /** The mapping's ABIs, by name, in the manifest's order. */
  readonly abis: ReadonlyMap<string, Abi>;
}

/**
 * Reads the declared calls of an event handler, such as `ERC20[event.address].balanceOf(event.params.owner)`.
 * @throws BundleError for calls outside graph-node's grammar, and for names that are not in the ABIs
 */
export function readDeclaredCalls(node: ManifestNode, scope: CallScope): readonly ParsedCall[] {
  const calls = node.entries();
  if (calls.length > 0 && !isAtLeast(scope.specVersion, "1.2.0")) {
    throw node.error(`require specVersion 1.2.0, but the manifest has ${scope.specVersion}`);
  }
  return calls.map(([label, call]) =>
    readCall(label, call, scope.abis, (text) => readOperand(text, call, scope)),
  );
}

/**
 * Reads the declared calls of an entity handler, such as `ERC20[entity.token].balanceOf(entity.owner)`.
 * @throws BundleError for calls outside graph-node's grammar, and for functions that are not in the ABIs
 */
export function readEntityCalls(
  node: ManifestNode,
  abis: ReadonlyMap<string, Abi>,
): readonly ParsedCall<EntityOperand>[] {
  return node
    .entries()
    .map(([label, call]) => readCall(label, call, abis, (text) => readEntityOperand(text, call)));
}

/** graph-node extracts these parts in the same way, without nesting. */
const form = /^([^[]+)\[([^\]]+)\][^.]*\.([^(]+)\((.*)\)[^)]*$/s;

function readCall<Operand>(
  label: string,
  node: ManifestNode,
  abis: CallScope["abis"],
  read: (text: string) => Operand,
): ParsedCall<Operand> {
  const text = node.text();
  const [, abi = "", target = "", name = "", list = ""] = form.exec(text) ?? [];
  const contract = abi.trim();
  if (contract === "") {
    throw node.error(`is ${text}, which is not of the form Abi[event.address].function(event.params.name)`);
  }
  const args = list.trim() === "" ? [] : list.split(",").map((one) => read(one.trim()));
  checkFunction(node, abis, { contract, name, count: args.length });
  return { label, text, contract, address: read(target), function: name, args };
}

function checkFunction(
  node: ManifestNode,
  abis: CallScope["abis"],
  { contract, name, count }: { readonly contract: string; readonly name: string; readonly count: number },
): void {
  const abi = abis.get(contract);
  if (!abi) {
    const known = [...abis.keys()].join(", ");
    throw node.error(`calls ${contract}, which is not in mapping.abis: ${known}`);
  }
  const found = abi.functionNamed(name);
  if (!found) throw node.error(`calls ${name}, which is not a function of the ABI ${contract}`);
  if (found.inputs.length === count) return;
  throw node.error(
    `passes ${count} ${count === 1 ? "argument" : "arguments"} to ${found.format("sighash")} of ${contract}; if several functions share a name, the first one is called`,
  );
}

const address = /^0x[0-9a-fA-F]{40}$/;

function readEntityOperand(text: string, node: ManifestNode): EntityOperand {
  if (address.test(text)) return { kind: "literal", address: text.toLowerCase() };
  const [, name] = /^entity\.([^.]+)$/.exec(text) ?? [];
  if (name !== undefined) return { kind: "field", name };
  throw node.error(
    `uses "${text}": only entity.field and addresses (0x and 40 hex digits) are allowed in a call for an entity`,
  );
}

function readOperand(text: string, node: ManifestNode, scope: CallScope): CallOperand {
  if (address.test(text)) return { kind: "literal", address: text.toLowerCase() };
  if (text === "event.address") return { kind: "event-address" };
  const [event, params, name = "", ...members] = text.split(".");
  if (event !== "event" || params !== "params" || name === "") {
    throw node.error(
      `uses "${text}": only event.address, event.params and addresses (0x and 40 hex digits) are allowed`,
    );
  }
  if (!scope.event.inputs.some((input) => input.name === name)) {
    throw node.error(`uses ${text}, but the event has no parameter of that name`);
  }
  if (members.length === 0) return { kind: "parameter", name, path: [] };
  if (!isAtLeast(scope.specVersion, "1.4.0")) {
    throw node.error(
      `uses ${text}, which requires specVersion 1.4.0, but the manifest has ${scope.specVersion}`,
    );
  }
  const refuse = (why: string): Error => node.error(`uses ${text}, but ${why}`);
  return { kind: "parameter", name, path: memberPath(structOf(name, scope, refuse), members, refuse) };
}

/**
 * graph-node looks up a struct in the first event of that name in the first ABI, even if the source has a different
 * ABI.
 */
function structOf(name: string, { event, abis }: CallScope, refuse: (why: string) => Error): ParamType {
  const [first] = abis.values();
  const found = first?.eventNamed(event.name);
  const type = found?.inputs.find((input) => input.name === name);
  if (type) return type;
  throw refuse(
    `structs are looked up in the first of mapping.abis, ${first?.name}, whose first event ${event.name} has no such parameter`,
  );
}

/** The positions of the struct members that lead to a value. Members are named, or numbered from 0. */
function memberPath(
  type: ParamType,
  [member, ...rest]: readonly string[],
  refuse: (why: string) => Error,
): readonly number[] {
  if (member === undefined) return [];
  if (!type.isTuple()) throw refuse(`${type.format("sighash")} is not a struct`);
  const { components } = type;
  const named = components.findIndex((component) => component.name === member);
  const position = named === -1 && /^\d+$/.test(member) ? Number(member) : named;
  const component = components[position];
  if (!component) throw refuse(`${type.format("sighash")} has no member ${member}`);
  return [position, ...memberPath(component, rest, refuse)];
}
