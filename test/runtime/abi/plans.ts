import { EventFragment, FunctionFragment, id } from "ethers";
import { present } from "../../../src/base/invariant.js";
import { type CallPlan, type EventPlan, planTemplate } from "../../../src/runtime/abi/decode-plan.js";
import { Abi } from "../../../src/subgraph/abi.js";
import type { CallHandler, EventHandler } from "../../../src/subgraph/runnable/built-subgraph.js";

/** The plan of one event, which is given in ethers' human readable form or as in a JSON ABI. */
export function planOf(
  declaration: string | object,
  handler: Partial<EventHandler> = {},
): EventPlan & { readonly fragment: EventFragment } {
  const fragment = EventFragment.from(declaration);
  const types = fragment.inputs.map(
    (input) => `${input.indexed ? "indexed " : ""}${input.format("sighash")}`,
  );
  const wanted = {
    event: `${fragment.name}(${types.join(",")})`,
    topic0: id(fragment.format("sighash")),
    topicFilters: [],
    handler: "handle",
    receipt: false,
    calls: [],
    ...handler,
  };
  const { events } = planTemplate({ ...template(json(fragment)), eventHandlers: [wanted] });
  const plan = present(events[0], "it was planned");
  return { ...plan, fragment: present(plan.fragment, "the ABI has it") };
}

/** The plan of calls of one function. */
export function callPlanOf(declaration: string): CallPlan & { readonly fragment: FunctionFragment } {
  const fragment = FunctionFragment.from(declaration);
  const signature = fragment.format("sighash");
  const handler: CallHandler = { function: signature, selector: fragment.selector, handler: "handle" };
  const { calls } = planTemplate({ ...template(json(fragment)), callHandlers: [handler] });
  const plan = present(calls[0], "it was planned");
  return { ...plan, fragment: present(plan.fragment, "the ABI has it") };
}

/** ethers' own form forgets that a list is indexed. */
function json(fragment: EventFragment | FunctionFragment): object {
  const entry = JSON.parse(fragment.format("json"));
  const inputs = entry.inputs.map((input: object, index: number) => {
    const indexed = fragment.inputs[index]?.indexed;
    return indexed ? { ...input, indexed } : input;
  });
  return { ...entry, inputs };
}

function template(entry: object) {
  return {
    name: "Source",
    abi: "Abi",
    abis: new Map([["Abi", new Abi("Abi", JSON.stringify([entry]))]]),
    module: "mapping.wasm",
    eventHandlers: [],
    callHandlers: [],
  };
}
