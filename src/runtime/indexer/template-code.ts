import { groupBy } from "../../base/group-by.js";
import type { BuiltSubgraph, Template } from "../../subgraph/runnable/built-subgraph.js";
import { type CallPlan, type EventPlan, planTemplate } from "../abi/decode-plan.js";
import { DeterministicError } from "../errors.js";
import type { Mapping } from "../wasm/mapping.js";
import { Contracts } from "./contracts.js";
import { type DeclaredCallPlan, planDeclaredCall } from "./declared-calls.js";

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
