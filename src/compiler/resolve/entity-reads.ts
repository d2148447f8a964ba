import { quote } from "../../base/text/quote.js";
import { escapeReserved } from "../abi/reserved-words.js";
import type { Report } from "../diagnostics/report.js";
import type { EntityModel } from "../model/entity-model.js";
import type { NameUse } from "../syntax/parsed-expression.js";
import type { ResolvedCalls } from "./calls/resolve-calls.js";
import { baseFields, type CreatorField, type ResolvedEntityTypes } from "./entities/entity-types.js";
import type { PlannedEntity } from "./entities/plan-entities.js";
import { holeFor, type SourceExpression } from "./expression-parser.js";

/** The reads of `entity` in an expression: the member, or `undefined` if the whole entity is passed on. */
function readsOf({ parsed }: SourceExpression): readonly (NameUse | undefined)[] {
  return parsed.paths.flatMap(({ names: [root, member] }) => (root?.name === "entity" ? [member] : []));
}

/** Members of `entity` that are not fields but may return any field. */
const anyField: ReadonlySet<string> = new Set(["get", "getEntry", "entries", "isSet"]);

/**
 * Whether an expression reads one of these fields of the triggering entity.
 * @param fields in the order of assignment
 */
export function readsSome(expression: SourceExpression, fields: readonly string[]): boolean {
  if (fields.length === 0) return false;
  const members = new Set(fields.map(escapeReserved));
  return readsOf(expression).some(
    (member) => !member || anyField.has(member.name) || members.has(member.name),
  );
}

/**
 * Reports reads of fields of the triggering entity that are not set yet: before its own mapping, only the trigger's
 * fields are set; after that, the mapping's fields too.
 * @param type the type of the triggering entity
 * @returns the entities, with placeholders for expressions that read such a field
 */
export function checkEntityReads(
  calls: ResolvedCalls,
  entities: readonly PlannedEntity[],
  type: EntityModel,
  types: ResolvedEntityTypes,
  report: Report,
): readonly PlannedEntity[] {
  const own = entities.find(({ creator }) => creator.extendsTrigger)?.creator.fields ?? [];
  const before = new Set([...baseFields.map(([name]) => name), ...types.parameterNamesOf(type.name)]);
  const after = new Set([...before, ...own.flatMap((field) => types.fieldName(field) ?? [])]);
  const stored = type.fields.filter(({ derivedFrom }) => derivedFrom === undefined);
  const isUnset = (set: ReadonlySet<string>, use: NameUse): boolean =>
    stored.some(({ name }) => escapeReserved(name) === use.name && !set.has(name));
  const checked = (expression: SourceExpression, set: ReadonlySet<string>): SourceExpression => {
    const unset = readsOf(expression).filter((use) => use !== undefined && isUnset(set, use));
    for (const use of unset) if (use) reportUnset(expression, use, own, types, report);
    return unset.length > 0 ? holeFor(expression.source, expression.what) : expression;
  };
  for (const expression of calls.expressions) checked(expression, before);
  return entities.map((entity) => {
    const set = entity.creator.extendsTrigger ? before : after;
    return {
      ...entity,
      id: entity.id && checked(entity.id, set),
      values: entity.values.map((value) => checked(value, set)),
    };
  });
}

function reportUnset(
  { source, what }: SourceExpression,
  use: NameUse,
  own: readonly CreatorField[],
  types: ResolvedEntityTypes,
  report: Report,
): void {
  const setter = own.find((field) => escapeReserved(types.fieldName(field) ?? "") === use.name);
  report.error(
    "field-not-set-yet",
    source.part(use.offset, use.offset + use.name.length),
    `${what} reads entity.${use.name}, which nothing has set yet`,
    {
      label: "not set yet at this point",
      ...(setter
        ? {
            related: [{ at: setter.config.name.at, text: `${quote(setter.config.name.value)} is set here` }],
            notes: ["all expressions of a mapping are evaluated before any of its fields is set"],
            hint: "repeat the expression of that field instead",
          }
        : { hint: "read a parameter of the trigger, or a field that the mapping of its own entity sets" }),
    },
  );
}
