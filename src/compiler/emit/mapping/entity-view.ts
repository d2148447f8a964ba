import { escapeReserved } from "../../abi/reserved-words.js";
import type { EnrichmentEntity, EnrichmentField, EntityId } from "../../model/enrichment.js";
import type { Scope } from "../scope.js";
import type { EnrichmentContext, LogView } from "./enrichment-context.js";
import type { ModuleScope } from "./module-scope.js";

/** View of an enrichment's entity: how to create or load it, its fields, how to save it. */
export interface EntityView extends LogView {
  /** Whether this is the first statement of the function. */
  readonly beginsBody: boolean;
  /** The partial that creates or loads the entity, which depends on the kind of id. */
  readonly opening: `entity-${EntityId["kind"]}`;
  readonly entityClass: string;
  readonly variable: string;
  /** The local variable for the id, and the id's expression; empty if the entity has no separate id. */
  readonly idVariable: string;
  readonly id: string;
  readonly fillsBaseFields: boolean;
  readonly trigger: string;
  /** Accessor of the reference to the trigger; empty if there is none. */
  readonly triggerAccessor: string;
  readonly fields: readonly FieldView[];
}

interface FieldView {
  /**
   * The local variable for a value that must be evaluated before the first assignment, and its type; empty if
   * there is none.
   */
  readonly local: string;
  readonly type: string;
  readonly expression: string;
  /** The call whose revert leaves the field unset, or empty. */
  readonly call: string;
  /** The field to unset if that call reverts, or empty. */
  readonly unsets: string;
  /** `balance.owner =`, or the start of the call that stores a nullable string. */
  readonly beginning: string;
  readonly value: string;
  readonly end: string;
}

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

/**
 * The variable for an entity: `balance` for `Balance`. Leading capitals become lower case together:
 * `nftHolder` for `NFTHolder`.
 */
function variableName(type: string): string {
  const lowered = type.replace(/^[A-Z]+(?=[A-Z][a-z]|$|[^A-Za-z])|^[A-Z]/, (capitals) =>
    capitals.toLowerCase(),
  );
  return escapeReserved(lowered);
}
