import { quote } from "../../base/text/quote.js";
import { reservedWords } from "../abi/reserved-words.js";
import { correctName } from "../diagnostics/correct-name.js";
import type { Report } from "../diagnostics/report.js";
import type {
  Enrichment,
  EnrichmentCall,
  EnrichmentEntity,
  EnrichmentField,
  EntityId,
  NumberBounds,
} from "../model/enrichment.js";
import { graphTsNames } from "../syntax/graph-ts-names.js";
import type { CallConfig, Enrich } from "../validate/config.js";
import type { ResolvedCalls } from "./calls/resolve-calls.js";
import type { Creator, CreatorField, ResolvedEntityTypes } from "./entities/entity-types.js";
import { fieldSolidityType } from "./entities/field-type.js";
import type { PlannedEntity } from "./entities/plan-entities.js";
import { readsSome } from "./entity-reads.js";
import { type SourceExpression, userExpression } from "./expression-parser.js";
import { numberBounds } from "./number-bounds.js";

/** Combines the calls and entities of one handler. */
export function resolveEnrichment(
  enrich: Enrich,
  { calls, expressions }: ResolvedCalls,
  entities: readonly PlannedEntity[],
  types: ResolvedEntityTypes,
  triggerTypes: ReadonlySet<string>,
): Enrichment {
  const all = allExpressions(expressions, entities);
  const free = new Set(all.flatMap(({ parsed }) => parsed.freeNames.map(({ name }) => name)));
  return {
    calls,
    // The trigger's own entity comes first, so that other entities' expressions can read its additions.
    entities: entities
      .toSorted((a, b) => Number(b.creator.extendsTrigger) - Number(a.creator.extendsTrigger))
      .map((entity) => resolveEntity(entity, calls, types, triggerTypes)),
    debugging: enrich.debugging,
    graphTsNames: [...free].filter((name) => graphTsNames.has(name)).sort(),
    freeNames: [...free].sort(),
  };
}

export function readsReceipt(calls: ResolvedCalls, entities: readonly PlannedEntity[]): boolean {
  return allExpressions(calls.expressions, entities).some(({ parsed }) =>
    parsed.paths.some(({ names }) => names[0]?.name === "event" && names[1]?.name === "receipt"),
  );
}

/** All expressions of one handler: those of its calls, and those of its entities. */
export function allExpressions(
  ofCalls: readonly SourceExpression[],
  entities: readonly PlannedEntity[],
): readonly SourceExpression[] {
  return [...ofCalls, ...entities.flatMap(({ id, values }) => (id ? [id, ...values] : values))];
}

function resolveEntity(
  { creator, id, values }: PlannedEntity,
  calls: readonly EnrichmentCall[],
  types: ResolvedEntityTypes,
  triggerTypes: ReadonlySet<string>,
): EnrichmentEntity {
  const triggerField = creator.extendsTrigger ? undefined : types.triggerField(creator);
  const assigned: string[] = [];
  return {
    type: creator.type,
    id: entityId(creator.extendsTrigger, creator.item.explicitId, id),
    fillsBaseFields: !creator.extendsTrigger && triggerTypes.has(creator.type),
    ...(triggerField !== undefined && { triggerField }),
    fields: creator.fields.flatMap((field, index) => {
      const value = values[index];
      const name = types.fieldName(field);
      if (!value || name === undefined) return [];
      const readsAssigned = creator.extendsTrigger && readsSome(value, assigned);
      assigned.push(name);
      return [resolveField(name, field, value, readsAssigned, creator, calls, types)];
    }),
  };
}

function resolveField(
  name: string,
  field: CreatorField,
  value: SourceExpression,
  readsAssigned: boolean,
  creator: Creator,
  calls: readonly EnrichmentCall[],
  types: ResolvedEntityTypes,
): EnrichmentField {
  const { scalar, list, assembly } = field.stored;
  const isNullable = types.isNullable(creator.type, name);
  const hasNull = list || !(scalar === "Boolean" || scalar === "Int");
  const call = revertibleCall(field, value, calls);
  const isParameter = types.parameterNamesOf(creator.type).includes(name);
  const replaces = creator.extendsTrigger ? isParameter : creator.item.explicitId;
  return {
    field: name,
    value: userExpression(value, boundsOf(field)),
    type: assembly,
    hasNull: isNullable && hasNull,
    isNullableText: isNullable && scalar === "String" && !list,
    readsAssigned,
    ...(call && { revertible: { ref: call.ref, replaces } }),
  };
}

/** The call whose result is the value, if the result is not nullable and the call may revert. */
function revertibleCall(
  { nullable }: CreatorField,
  { parsed }: SourceExpression,
  calls: readonly EnrichmentCall[],
): EnrichmentCall | undefined {
  const ref = nullable ? parsed.paths.find(({ isWhole }) => isWhole)?.names[1]?.name : undefined;
  return calls.find(
    ({ ref: known, method: { resultType }, post }) =>
      known === ref && !post && resultType.kind === "language" && resultType.name !== "string",
  );
}

function boundsOf({ config }: CreatorField): NumberBounds | undefined {
  return numberBounds(fieldSolidityType(config.type.value));
}

function entityId(extendsTrigger: boolean, explicit: boolean, id: SourceExpression | undefined): EntityId {
  if (extendsTrigger) return { kind: "trigger" };
  if (!id) return { kind: "same" };
  return { kind: explicit ? "explicit" : "suffix", value: userExpression(id) };
}

/** Reports names in `options.imports` that `@graphprotocol/graph-ts` does not export. */
export function checkImportNames({ imports }: Enrich, report: Report): void {
  for (const name of imports) {
    if (graphTsNames.has(name.value)) continue;
    report.error("unknown-import", name.at, `@graphprotocol/graph-ts has no ${quote(name.value)}`, {
      label: "there is no such export",
      ...(correctName(name, graphTsNames) ?? { hint: "remove it" }),
    });
  }
}

/** Words that cannot be members of a generated class, beyond graph-cli's own list. */
const unusableRefs = new Set([
  ...reservedWords,
  "constructor",
  "async",
  "default",
  "of",
  "null",
  "void",
  "abstract",
  "declare",
]);

/** Reports call names that cannot be members of `calls`. */
export function checkRefs(calls: readonly CallConfig[], report: Report): void {
  const refs = new Map(calls.map(({ ref }) => [ref.value, ref]));
  for (const { ref } of calls) {
    const name = quote(ref.value);
    const other = ref.value.endsWith("_reverted") && refs.get(ref.value.slice(0, -"_reverted".length));
    if (unusableRefs.has(ref.value)) {
      report.error("reserved-call-name", ref.at, `a call cannot be named ${name}`, {
        label: "a reserved word of AssemblyScript",
        hint: `rename it to "${ref.value}Result"`,
      });
    } else if (other) {
      report.error("reserved-call-name", ref.at, `a call cannot be named ${name}`, {
        label: `already tells whether call ${quote(other.value)} reverted`,
        related: [{ at: other.at, text: "that call" }],
        hint: "rename this call",
      });
    }
  }
}
