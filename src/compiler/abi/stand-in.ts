import type { AbiEvent } from "./abi.js";
import { parameterNames } from "./parameter-names.js";
import type { Parameter } from "./solidity-type.js";

/**
 * Replaces an event by an anonymous one with a different name. Bindings name classes after events, and an
 * event's name is part of its topic 0. For the anonymous event, the manifest states the topic 0, which becomes
 * its first indexed parameter.
 * @param event with parameters whose names work in its binding
 * @param className the class name that the original name would give
 */
export function standIn(event: AbiEvent, className: string, name: string): AbiEvent {
  const names = parameterNames(
    event.inputs.map((input) => input.name),
    "param",
  );
  const inputs = event.inputs.map((input, at): Parameter => ({ ...input, name: names[at] ?? input.name }));
  const topic: Parameter = {
    name: freeName("topic0", new Set(names)),
    type: { kind: "fixedBytes", size: 32 },
    indexed: true,
  };
  return { ...event, name, inputs: [topic, ...inputs], anonymous: true, standsFor: { event, className } };
}

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  return taken.has(wanted) ? freeName(`${wanted}_`, taken) : wanted;
}
