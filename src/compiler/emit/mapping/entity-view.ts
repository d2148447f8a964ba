import { escapeReserved } from "../../abi/reserved-words.js";
import type { EnrichmentEntity, EnrichmentField, EntityId } from "../../model/enrichment.js";
import type { Scope } from "../scope.js";
import type { EnrichmentContext, LogView } from "./enrichment-context.js";
import type { ModuleScope } from "./module-scope.js";

/** What the template of an enrichment's entity prints: how the entity comes about, its fields, its storing. */
export interface EntityView extends LogView {
  /** Whether nothing stands before it in the function. */
  readonly beginsBody: boolean;
  /** The template of how the entity comes about, which is one for each kind of id. */
  readonly opening: `entity-${EntityId["kind"]}`;
  readonly entityClass: string;
  readonly variable: string;
  /** The local that holds the id, and the expression for it; empty texts where it has none of its own. */
  readonly idVariable: string;
  readonly id: string;
  readonly fillsBaseFields: boolean;
  readonly trigger: string;
  /** Accessor of the reference to the trigger, or an empty text. */
  readonly triggerAccessor: string;
  readonly fields: readonly FieldView[];
}

interface FieldView {
  /** The local that holds the value from before the first assignment, and its type; empty texts without one. */
  readonly local: string;
  readonly type: string;
  readonly expression: string;
  /** The call without whose result it is not set, or an empty text. */
  readonly call: string;
  /** The field to unset then, or an empty text. */
  readonly unsets: string;
  /** `balance.owner =`, or the beginning of a call that stores a nullable text. */
  readonly beginning: string;
  readonly value: string;
  /** What ends the statement. */
  readonly end: string;
}

/** Prepares one entity for printing. */
export function entityView(
  entity: EnrichmentEntity,
  locals: Scope,
  log: LogView,
  { handler, scope, mark, beginsBody }: EnrichmentContext & Pick<EntityView, "beginsBody">,
): EntityView {
  const { id, type, triggerField } = entity;
  const isTrigger = id.kind === "trigger";
  const variable = isTrigger ? "entity" : locals.claim(variableName(type), "Entity");
  const hasOwnId = id.kind === "suffix" || id.kind === "explicit";
  return {
    ...log,
    beginsBody,
    opening: `entity-${id.kind}`,
    entityClass: scope.entity(isTrigger ? handler.entity : type),
    variable,
    idVariable: hasOwnId ? locals.claim(`${variable}Id`) : "",
    id: hasOwnId ? mark(id.value) : "",
    fillsBaseFields: entity.fillsBaseFields,
    trigger: handler.trigger.kind,
    triggerAccessor: triggerField === undefined ? "" : escapeReserved(triggerField),
    fields: entity.fields.map((field) => fieldView(field, variable, locals, scope, mark)),
  };
}

function fieldView(
  { field, value, type, hasNull, isNullableText, readsAssigned, revertible }: EnrichmentField,
  variable: string,
  locals: Scope,
  scope: ModuleScope,
  mark: EnrichmentContext["mark"],
): FieldView {
  const expression = mark(value);
  const local = readsAssigned ? locals.claim(escapeReserved(field), "Value") : "";
  return {
    local,
    type: readsAssigned ? `${scope.type(type, "")}${hasNull ? " | null" : ""}` : "",
    expression,
    call: revertible?.ref ?? "",
    unsets: revertible?.replaces ? field : "",
    beginning: isNullableText
      ? `${scope.textSetter()}(${variable}, "${field}",`
      : `${variable}.${escapeReserved(field)} =`,
    value: local || expression,
    end: isNullableText ? (local ? ");" : "\n  );") : ";",
  };
}

/** `Balance` is held in `balance`; leading capitals go down together (`NFTHolder` in `nftHolder`). */
function variableName(type: string): string {
  const lowered = type.replace(/^[A-Z]+(?=[A-Z][a-z]|$|[^A-Za-z])|^[A-Z]/, (capitals) =>
    capitals.toLowerCase(),
  );
  return escapeReserved(lowered);
}
