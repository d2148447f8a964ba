import type { EventFragment, ParamType } from "ethers";
import type { DeclaredCall } from "../../subgraph/runnable/built-subgraph.js";
import type { Log } from "../chain/chain.js";
import { DeterministicError } from "../errors.js";
import type { DecodedParameter, EthereumValue } from "../values.js";
import type { Contracts, EncodedCall } from "./contracts.js";

type Evaluate = (log: Log, params: readonly DecodedParameter[]) => EthereumValue;

/**
 * Computes a declared call for an event. @throws DeterministicError where the values do not match the
 * function
 */
export type DeclaredCallPlan = (log: Log, params: readonly DecodedParameter[]) => EncodedCall;

/**
 * Parses a declared call of a manifest, such as `ERC20[event.address].balanceOf(event.params.owner)`; the
 * result serves all events.
 * @throws DeterministicError for text outside graph-node's grammar
 */
export function planDeclaredCall(
  { label, text }: DeclaredCall,
  event: EventFragment,
  contracts: Contracts,
): DeclaredCallPlan {
  const [, contract = "", target = "", name = "", list = ""] =
    /^([^[]+)\[([^\]]+)\]\.([^(]+)\((.*)\)$/s.exec(text) ?? [];
  if (name === "") throw new DeterministicError(`the declared call ${label} cannot be read: ${text}`);
  const address = planOperand(target, event, text);
  const args = list.trim() === "" ? [] : list.split(",").map((one) => planOperand(one.trim(), event, text));
  return (log, params) => {
    const at = address(log, params);
    if (at.kind !== "address") throw new DeterministicError(`${text}: ${target} is not an address`);
    const values = args.map((evaluate) => evaluate(log, params));
    return contracts.encodeFirst(contract.trim(), at.value, name, values);
  };
}

function planOperand(operand: string, { inputs }: EventFragment, text: string): Evaluate {
  if (/^0x[0-9a-fA-F]{40}$/.test(operand)) {
    const value = { kind: "address", value: operand.toLowerCase() } as const;
    return () => value;
  }
  if (operand === "event.address") return (log) => ({ kind: "address", value: log.address });
  const [event, params, name, ...members] = operand.split(".");
  const position = inputs.findIndex((input) => input.name !== "" && input.name === name);
  const type = inputs[position];
  if (event !== "event" || params !== "params" || !type) {
    throw new DeterministicError(`${text}: ${operand} is no parameter of the event, and no address`);
  }
  const path = memberPath(type, members, text);
  return (_, decoded) =>
    path.reduce<EthereumValue>(
      (value, index) => (value.kind === "tuple" ? (value.value[index] as EthereumValue) : value),
      (decoded[position] as DecodedParameter).value,
    );
}

/** The indexes of the struct members along a path. */
function memberPath(type: ParamType, [name, ...rest]: readonly string[], text: string): readonly number[] {
  if (name === undefined) return [];
  const named = type.components?.findIndex((component) => component.name === name) ?? -1;
  const position = named === -1 && /^\d+$/.test(name) ? Number(name) : named;
  const component = type.components?.[position];
  if (!component) throw new DeterministicError(`${text}: ${type.format()} has no member ${name}`);
  return [position, ...memberPath(component, rest, text)];
}
