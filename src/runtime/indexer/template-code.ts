import type { EventFragment } from "ethers/abi";
import { groupBy } from "../../base/group-by.js";
import type {
  BuiltSubgraph,
  CallOperand,
  ParsedCall,
  Template,
} from "../../subgraph/runnable/built-subgraph.js";
import { type CallPlan, type EventPlan, planTemplate } from "../abi/decode-plan.js";
import type { Log } from "../chain/chain.js";
import { DeterministicError } from "../errors.js";
import type { DecodedParameter, EthereumValue } from "../values.js";
import type { Mapping } from "../wasm/mapping.js";
import { Contracts, type EncodedCall } from "./contracts.js";

type Evaluate = (log: Log, params: readonly DecodedParameter[]) => EthereumValue;

/**
 * Computes a declared call for an event.
 * @throws DeterministicError when the values do not match the function
 */
type DeclaredCallPlan = (log: Log, params: readonly DecodedParameter[]) => EncodedCall;

/** An event handler with everything that does not depend on the event. */
export interface PreparedEvent extends EventPlan {
  readonly calls: readonly DeclaredCallPlan[];
}

/** A template or a data source from the manifest, prepared to run. */
export interface TemplateCode {
  readonly mapping: Mapping;
  readonly contracts: Contracts;
  /** By first topic, in the manifest's order. */
  readonly events: ReadonlyMap<string, readonly PreparedEvent[]>;
  /** By selector, in the manifest's order. */
  readonly calls: ReadonlyMap<string, readonly CallPlan[]>;
}

/**
 * Prepares a template.
 * @throws DeterministicError or BundleError when its module is missing or its ABI does not fit
 */
export function prepareTemplate(
  template: Template,
  { modules }: Pick<BuiltSubgraph, "modules">,
  mappingOf: (wasm: Uint8Array) => Mapping,
): TemplateCode {
  const wasm = modules.get(template.module);
  if (!wasm) throw new DeterministicError(`${template.name}: the module ${template.module} is missing`);
  const mapping = mappingOf(wasm);
  const contracts = new Contracts(template.abis);
  const { events, calls } = planTemplate(template);
  const prepared = events.map((plan) => {
    const { handler, fragment } = plan;
    return {
      ...plan,
      calls: fragment ? handler.calls.map((call) => planDeclaredCall(call, fragment, contracts)) : [],
    };
  });
  return {
    mapping,
    contracts,
    events: groupBy(prepared, ({ handler }) => handler.topic0),
    calls: groupBy(calls, ({ handler }) => handler.selector),
  };
}

/** Prepares a declared call of the manifest once for all events. */
function planDeclaredCall(call: ParsedCall, event: EventFragment, contracts: Contracts): DeclaredCallPlan {
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
