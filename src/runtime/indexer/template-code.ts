import type { EventFragment } from "ethers/abi";
import { groupBy } from "../../base/group-by.js";
import type {
  BuiltSubgraph,
  CallOperand,
  DataSource,
  EntityHandler,
  EntityOperand,
  ParsedCall,
  Template,
} from "../../subgraph/runnable/built-subgraph.js";
import type { Entity, StoreValue } from "../../subgraph/schema/entity.js";
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

/** An entity handler with everything that does not depend on the entity. */
export interface PreparedEntity {
  readonly handler: EntityHandler;
  /** Computes the declared calls. @throws DeterministicError when a field does not fit the function */
  readonly calls: readonly ((entity: Entity) => EncodedCall)[];
}

/** A template or a data source from the manifest, prepared to run. */
export interface TemplateCode {
  readonly mapping: Mapping;
  readonly contracts: Contracts;
  /** By first topic, in the manifest's order. */
  readonly events: ReadonlyMap<string, readonly PreparedEvent[]>;
  /** By selector, in the manifest's order. */
  readonly calls: ReadonlyMap<string, readonly CallPlan[]>;
  /** By the entity type of another subgraph, in the manifest's order. */
  readonly entities: ReadonlyMap<string, readonly PreparedEntity[]>;
}

/**
 * Prepares a template.
 * @throws DeterministicError or BundleError when its module is missing or its ABI does not fit
 */
export function prepareTemplate(
  template: Template & Pick<DataSource, "subgraph">,
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
    entities: groupBy(
      (template.subgraph?.handlers ?? []).map((handler) => ({
        handler,
        calls: handler.calls.map((call) => planEntityCall(call, contracts)),
      })),
      ({ handler }) => handler.entity,
    ),
  };
}

function planEntityCall(
  call: ParsedCall<EntityOperand>,
  contracts: Contracts,
): (entity: Entity) => EncodedCall {
  const { text, contract, args } = call;
  const fieldOf = (operand: EntityOperand, entity: Entity): StoreValue => {
    if (operand.kind === "literal") return { kind: "Bytes", value: operand.address };
    const value = entity.get(operand.name);
    if (value) return value;
    throw new DeterministicError(`${text}: the entity has no value for the field ${operand.name}`);
  };
  return (entity) => {
    const address = fieldOf(call.address, entity);
    if (address.kind !== "Bytes" || address.value.length !== 42) {
      throw new DeterministicError(`${text}: the call target is not an address`);
    }
    const values = args.map((operand) => fieldOf(operand, entity));
    return contracts.encodeFields(contract, address.value, call.function, values);
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
