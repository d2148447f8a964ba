import type { Report } from "../diagnostics/report.js";
import type { EntityConfig, EntityItem, FieldConfig } from "../validate/config.js";
import { checkExpression, type ExpressionScope } from "./check-expression.js";
import type { Creator, CreatorField } from "./entity-types.js";
import { type ExpressionParser, readExpression, type SourceExpression } from "./expression-parser.js";
import { fieldStoredType } from "./field-type.js";

/** A creator whose expressions are parsed. */
export interface PlannedEntity {
  readonly config: EntityConfig;
  readonly creator: Creator;
  readonly id: SourceExpression | undefined;
  /** Same order as `creator.fields`. */
  readonly values: readonly SourceExpression[];
}

/** Where the entities of one handler are created. */
export interface EntityContext {
  /** The entity type of the trigger. */
  readonly trigger: string;
  /** The type a name in the configuration means. */
  typeOf(name: string): string;
  readonly scope: ExpressionScope;
}

/** Parses everything one handler says about entities; what is wrong is reported and left out. */
export function planEntities(
  entities: readonly EntityConfig[],
  context: EntityContext,
  parser: ExpressionParser,
  report: Report,
): readonly PlannedEntity[] {
  return entities
    .toSorted((a, b) => (a.name.value < b.name.value ? -1 : 1))
    .flatMap((config) => config.items.map((item) => planItem(config, item, context, parser, report)));
}

function planItem(
  config: EntityConfig,
  item: EntityItem,
  context: EntityContext,
  parser: ExpressionParser,
  report: Report,
): PlannedEntity {
  const read = (text: FieldConfig["value"], what: string): SourceExpression | undefined => {
    const expression = readExpression(text, what, parser, report);
    if (expression) checkExpression(expression, context.scope, report);
    return expression;
  };
  const name = config.name.value;
  const id = item.id && read(item.id, `the id of ${name}`);
  const fields: CreatorField[] = [];
  const values: SourceExpression[] = [];
  for (const field of sortedFields(item, name, report)) {
    const value = read(field.value, `the value of ${name}.${field.name.value}`);
    const stored = fieldStoredType(field.type.value);
    if ("problem" in stored) {
      report.error("unknown-type", field.type.at, `the type "${field.type.value}" ${stored.problem}`, {
        hint: "write an ABI type such as address, uint256, string, bytes32 or uint256[]",
      });
    } else if (value) {
      fields.push({ config: field, stored, nullable: isNullableCall(value, context.scope) });
      values.push(value);
    }
  }
  const type = context.typeOf(name);
  const extendsTrigger = type === context.trigger && config.form === "simple";
  return { config, creator: { trigger: context.trigger, type, extendsTrigger, item, fields }, id, values };
}

/** The fields by name, each name once. */
function sortedFields(item: EntityItem, entity: string, report: Report): readonly FieldConfig[] {
  const byName = new Map<string, FieldConfig>();
  for (const field of item.fields) {
    const earlier = byName.get(field.name.value);
    if (earlier) {
      report.error("duplicate-field", field.name.at, `${entity}.${field.name.value} is set twice`, {
        related: [{ at: earlier.name.at, text: "first set here" }],
        hint: "remove one of them",
      });
    } else {
      byName.set(field.name.value, field);
    }
  }
  return [...byName.values()].sort((a, b) => (a.name.value < b.name.value ? -1 : 1));
}

/** Whether an expression is exactly the result of a call whose revert leaves it null. */
function isNullableCall({ parsed }: SourceExpression, { calls }: ExpressionScope): boolean {
  const whole = parsed.paths.find(({ isWhole }) => isWhole);
  if (whole?.names.length !== 2 || whole.names[0]?.name !== "calls") return false;
  return calls.some(({ ref, essential }) => ref === whole.names[1]?.name && !essential);
}
