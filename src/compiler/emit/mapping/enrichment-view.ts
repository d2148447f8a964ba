import type { Enrichment } from "../../model/enrichment.js";
import type { Scope } from "../scope.js";
import { type CallView, callView } from "./call-view.js";
import type { EnrichmentContext } from "./enrichment-context.js";
import { type EntityView, entityView } from "./entity-view.js";
import type { ModuleScope } from "./module-scope.js";

/** View of an enrichment. Expressions are placeholders; a missing text is empty. */
export interface EnrichmentView {
  readonly name: string;
  readonly trigger: string;
  readonly triggerClass: string;
  readonly entityClass: string;
  readonly callsClass: string;
  readonly calls: readonly CallView[];
  readonly entities: readonly EntityView[];
}

/** Makes the view of a handler's enrichment. */
export function enrichmentView(enrichment: Enrichment, context: EnrichmentContext): EnrichmentView {
  const { handler, name, scope } = context;
  const { trigger } = handler;
  const { calls, entities } = enrichment;
  const locals = importClasses(enrichment, scope);
  const callLocals = {
    contract: locals.claim("contract"),
    isMet: locals.claim("isReady"),
    isHeld: locals.claim("isSound"),
  };
  const log = { debugging: enrichment.debugging, label: handler.name };
  return {
    name,
    trigger: trigger.kind,
    triggerClass: scope.trigger(trigger.kind, trigger.bound.className),
    entityClass: scope.entity(handler.entity),
    callsClass: calls.length > 0 ? scope.own(`${name.replace(/^enrich/, "")}Calls`) : "",
    calls: calls.map((call) => callView(call, callLocals, log, context)),
    entities: entities.map((entity, index) =>
      entityView(entity, locals, log, { ...context, beginsBody: index === 0 && calls.length === 0 }),
    ),
  };
}

/**
 * Imports the classes of an enrichment before naming any local variable, so that no variable shadows a class.
 * @returns the scope of the local variables
 */
function importClasses(enrichment: Enrichment, scope: ModuleScope): Scope {
  const { graphTsNames, debugging, calls, entities, freeNames } = enrichment;
  for (const used of graphTsNames) scope.graphTs(used);
  if (debugging) scope.graphTs("log");
  for (const { id, type } of entities) if (id.kind !== "trigger") scope.entity(type);
  for (const call of calls) if (call.bindingSuffices) scope.contract(call.contract);
  return scope.functionScope(freeNames);
}
