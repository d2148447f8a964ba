import type { EventFragment } from "ethers/abi";
import type { CallOperand, ParsedCall } from "../../subgraph/runnable/built-subgraph.js";
import type { Log } from "../chain/chain.js";
import { DeterministicError } from "../errors.js";
import type { DecodedParameter, EthereumValue } from "../values.js";
import type { Contracts, EncodedCall } from "./contracts.js";

type Evaluate = (log: Log, params: readonly DecodedParameter[]) => EthereumValue;

/**
 * Computes a declared call for an event.
 * @throws DeterministicError when the values do not match the function
 */
export type DeclaredCallPlan = (log: Log, params: readonly DecodedParameter[]) => EncodedCall;

/** Prepares a declared call of the manifest once for all events. */
export function planDeclaredCall(
  call: ParsedCall,
  event: EventFragment,
  contracts: Contracts,
): DeclaredCallPlan {
  const { text, contract } = call;
  const address = planOperand(call.address, event, text);
  const args = call.args.map((operand) => planOperand(operand, event, text));
  return (log, params) => {
    const at = address(log, params);
    if (at.kind !== "address") throw new DeterministicError(`${text}: the call target is not an address`);
    const values = args.map((evaluate) => evaluate(log, params));
    return contracts.encodeFirst(contract, at.value, call.function, values);
  };
}

function planOperand(operand: CallOperand, { inputs }: EventFragment, text: string): Evaluate {
  if (operand.kind === "literal") {
    const value = { kind: "address", value: operand.address } as const;
    return () => value;
  }
  if (operand.kind === "event-address") return (log) => ({ kind: "address", value: log.address });
  const { name, path } = operand;
  const position = inputs.findIndex((input) => input.name === name);
  return (_, decoded) => {
    const parameter = decoded[position];
    if (!parameter) throw new DeterministicError(`${text}: the event has no parameter ${name}`);
    return path.reduce((value, index) => memberOf(value, index, text), parameter.value);
  };
}

function memberOf(value: EthereumValue, index: number, text: string): EthereumValue {
  const member = value.kind === "tuple" ? value.value[index] : undefined;
  if (member) return member;
  throw new DeterministicError(`${text}: the value is not a struct with a member ${index}`);
}
