import { quote } from "../../../base/text/quote.js";
import type { StoredType } from "../../abi/conversions.js";
import { nearName } from "../../diagnostics/correct-name.js";
import { type Details, type Edit, rewrite } from "../../diagnostics/diagnostic.js";
import type { Report } from "../../diagnostics/report.js";
import type { EntityConfig, EntityItem, FieldConfig } from "../../validate/config.js";
import { checkExpression } from "../check/check-expression.js";
import type { SourceExpression } from "../expression-parser.js";
import type { ExpressionScope } from "../expression-scope.js";
import { readExpression } from "../read-expression.js";
import type { Resolution } from "../resolution.js";
import type { Creator, CreatorField } from "./entity-types.js";
import { fieldStoredType } from "./field-type.js";

export interface PlannedEntity {
  readonly config: EntityConfig;
  readonly creator: Creator;
  readonly id: SourceExpression | undefined;
  /** In the order of `creator.fields`. */
  readonly values: readonly SourceExpression[];
}

/** The context in which a handler's entities are created. */
export interface EntityContext {
  readonly trigger: string;
  /** Resolves the name of an entity type. */
  typeOf(name: string): string;
  readonly scope: ExpressionScope;
}

/** Parses the entities of one handler. Reports errors, and leaves out faulty parts. */
export function planEntities(
  entities: readonly EntityConfig[],
  context: EntityContext,
  resolution: Resolution,
): readonly PlannedEntity[] {
  return entities
    .toSorted((a, b) => (a.name.value < b.name.value ? -1 : 1))
    .flatMap((config) => {
      const planned = config.items.map((item) => planItem(config, item, context, resolution));
      checkIds(planned, resolution.report);
      return planned;
    });
}

/** Reports ids in one list that are always equal: the later entity would overwrite the earlier one. */
function checkIds(planned: readonly PlannedEntity[], report: Report): void {
  const seen = new Map<string, SourceExpression>();
  for (const { config, creator, id } of planned) {
    const text = id?.parsed.constantText;
    if (!id || text === undefined) continue;
    const key = `${creator.item.explicitId} ${text}`;
    const earlier = seen.get(key);
    if (!earlier) {
      seen.set(key, id);
      continue;
    }
    report.error(
      "duplicate-id",
      id.source.at,
      `two items of ${config.name.value} have the id ${quote(text)}`,
      {
        label: "would overwrite the other",
        related: [{ at: earlier.source.at, text: "the same id" }],
        hint: "give each a unique id, or merge their fields into one item",
      },
    );
  }
}

function planItem(
  config: EntityConfig,
  item: EntityItem,
  context: EntityContext,
  resolution: Resolution,
): PlannedEntity {
  const { report } = resolution;
  const read = (text: FieldConfig["value"], what: string): SourceExpression =>
    checkExpression(readExpression(text, what, resolution), context.scope, report);
  const name = config.name.value;
  const id = item.id && read(item.id, `the id of ${name}`);
  const fields: CreatorField[] = [];
  const values: SourceExpression[] = [];
  for (const field of sortedFields(item, name, report)) {
    const value = read(field.value, `the value of ${name}.${field.name.value}`);
    const stored = storedTypeOf(field, report);
    if (!stored) continue;
    fields.push({ config: field, stored, nullable: isNullableCall(value, context.scope) });
    values.push(value);
  }
  const type = context.typeOf(name);
  const extendsTrigger = type === context.trigger && config.form === "simple";
  return {
    config,
    creator: { trigger: context.trigger, type, extendsTrigger, name: config.name, item, fields },
    id,
    values,
  };
}

/**
 * The stored form of a field. An invalid type is reported.
 * @returns also the type that an invalid one certainly means, so that the value can be checked
 */
function storedTypeOf(field: FieldConfig, report: Report): StoredType | undefined {
  const stored = fieldStoredType(field.type.value);
  if (!("problem" in stored)) return stored;
  report.error("unknown-type", field.type.at, `${quote(field.type.value)} is not a type that can be stored`, {
    label: stored.problem,
    hint: stored.hint,
    ...(swapped(field) ?? correctType(field, stored.candidates)),
  });
  return stored.meant;
}

/** A type written before the name, as in Solidity. */
function swapped({ name, type, key }: FieldConfig): Pick<Details, "label" | "hint" | "fix"> | undefined {
  const isSwapped = !("problem" in fieldStoredType(name.value)) && /^[_A-Za-z]\w*$/.test(type.value);
  if (!isSwapped) return undefined;
  const right = `${type.value} ${name.value}`;
  return { label: "the name comes first", hint: `write ${quote(right)}`, fix: [rewrite(key, right)] };
}

/** The type that was probably intended. */
function correctType(
  { key, type }: FieldConfig,
  candidates: readonly string[],
): Pick<Details, "hint" | "fix"> | undefined {
  const near = nearName(type.value, candidates);
  if (!near) return undefined;
  const end = key.value.trimEnd().length;
  const edit: Edit = { kind: "part", of: key, start: end - type.value.length, end, text: near.name };
  return { hint: `write "${near.name}"`, ...(near.certain && { fix: [edit] }) };
}

/** The fields sorted by name, without duplicates. */
function sortedFields(item: EntityItem, entity: string, report: Report): readonly FieldConfig[] {
  const byName = new Map<string, FieldConfig>();
  for (const field of item.fields) {
    const earlier = byName.get(field.name.value);
    if (earlier) {
      const message = `${entity}.${field.name.value} is set twice`;
      report.error("duplicate-field", field.name.at, message, {
        label: "set again",
        related: [{ at: earlier.name.at, text: "first set here" }],
        hint: "remove one of them",
      });
    } else {
      byName.set(field.name.value, field);
    }
  }
  return [...byName.values()].sort((a, b) => (a.name.value < b.name.value ? -1 : 1));
}

/** Whether an expression is exactly a call result that is null after a revert. */
function isNullableCall({ parsed }: SourceExpression, { calls }: ExpressionScope): boolean {
  const whole = parsed.paths.find(({ isWhole }) => isWhole);
  if (whole?.names.length !== 2 || whole.names[0]?.name !== "calls") return false;
  return calls.some(({ ref, essential }) => ref === whole.names[1]?.name && !essential);
}
