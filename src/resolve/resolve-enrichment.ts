import { reservedWords } from "../abi/reserved-words.js";
import type { Report } from "../diagnostics/report.js";
import { suggest } from "../diagnostics/suggest.js";
import type { Enrichment, EnrichmentEntity, EntityId } from "../model/enrichment.js";
import type { CallConfig, Enrich } from "../validate/config.js";
import type { ResolvedEntityTypes } from "./entity-types.js";
import { type SourceExpression, userExpression } from "./expression-parser.js";
import { graphTsNames } from "./graph-ts-names.js";
import type { PlannedEntity } from "./plan-entities.js";
import type { ResolvedCalls } from "./resolve-calls.js";

/** Puts calls and entities of one handler together. */
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
    // The trigger's own entity comes last, so that all expressions of the others see it as it was stored.
    entities: entities
      .toSorted((a, b) => Number(a.creator.extendsTrigger) - Number(b.creator.extendsTrigger))
      .map((entity) => resolveEntity(entity, types, triggerTypes)),
    debugging: enrich.debugging,
    graphTsNames: [...free].filter((name) => graphTsNames.has(name)).sort(),
    freeNames: [...free].sort(),
  };
}

/** Whether any expression reads the receipt of the event's transaction. */
export function readsReceipt(calls: ResolvedCalls, entities: readonly PlannedEntity[]): boolean {
  return allExpressions(calls.expressions, entities).some(({ parsed }) =>
    parsed.paths.some(({ names }) => names[0]?.name === "event" && names[1]?.name === "receipt"),
  );
}

function allExpressions(
  ofCalls: readonly SourceExpression[],
  entities: readonly PlannedEntity[],
): readonly SourceExpression[] {
  return [...ofCalls, ...entities.flatMap(({ id, values }) => (id ? [id, ...values] : values))];
}

function resolveEntity(
  { creator, id, values }: PlannedEntity,
  types: ResolvedEntityTypes,
  triggerTypes: ReadonlySet<string>,
): EnrichmentEntity {
  const triggerField = creator.extendsTrigger ? undefined : types.triggerField(creator);
  return {
    type: creator.type,
    id: entityId(creator.extendsTrigger, creator.item.explicitId, id),
    fillsBaseFields: !creator.extendsTrigger && triggerTypes.has(creator.type),
    ...(triggerField !== undefined && { triggerField }),
    fields: creator.fields.flatMap((field, index) => {
      const value = values[index];
      const name = types.fieldName(field);
      const isNullableText = types.isNullableText(creator.type, name);
      return value ? [{ field: name, value: userExpression(value), isNullableText }] : [];
    }),
  };
}

function entityId(extendsTrigger: boolean, explicit: boolean, id: SourceExpression | undefined): EntityId {
  if (extendsTrigger) return { kind: "trigger" };
  if (!id) return { kind: "same" };
  return { kind: explicit ? "explicit" : "suffix", value: userExpression(id) };
}

/** Reports names in `options.imports` that `@graphprotocol/graph-ts` does not export. */
export function checkImports({ imports }: Enrich, report: Report): void {
  for (const { value, at } of imports) {
    if (graphTsNames.has(value)) continue;
    const near = suggest(value, graphTsNames);
    report.error("unknown-import", at, `@graphprotocol/graph-ts exports nothing named "${value}"`, {
      hint: near.length > 0 ? `write "${near[0]}"` : "remove it",
    });
  }
}

/** Words that cannot be members of a generated class, beyond the peer's own list. */
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
  const refs = new Set(calls.map(({ ref }) => ref.value));
  for (const { ref } of calls) {
    if (unusableRefs.has(ref.value)) {
      report.error(
        "reserved-call-name",
        ref.at,
        `"${ref.value}" is a word of AssemblyScript and cannot name a call`,
        {
          hint: `call it "${ref.value}Result"`,
        },
      );
    } else if (ref.value.endsWith("_reverted") && refs.has(ref.value.slice(0, -"_reverted".length))) {
      report.error(
        "reserved-call-name",
        ref.at,
        `calls.${ref.value} says whether call "${ref.value.slice(0, -9)}" reverted`,
        {
          hint: "give this call another name",
        },
      );
    }
  }
}
