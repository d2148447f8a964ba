import { groupBy } from "../../base/group-by.js";
import type {
  CallSource,
  EnrichmentCall,
  EnrichmentEntity,
  EntityId,
  UserExpression,
} from "../model/enrichment.js";
import type { Handler, ParameterField } from "../model/handler.js";
import type { DescribedStore, DescribedValue } from "./described.js";

type Values = readonly (readonly [name: string, value: DescribedValue])[];

/** Describes what a handler stores, starting with the entity of its trigger. */
export function describeStores(handler: Handler): readonly DescribedStore[] {
  const { entity, fields, enrichment } = handler;
  const parameters = fields.map(({ field, value }) => [field, { text: parameterText(value) }] as const);
  const entities = enrichment?.entities ?? [];
  const own = entities.filter(({ id }) => id.kind === "trigger");
  const others = groupBy(
    entities.filter(({ id }) => id.kind !== "trigger"),
    ({ type }) => type,
  );
  const calls = enrichment?.calls ?? [];
  const added = own.flatMap(fieldValues);
  const ownValues = own.length === 0 ? [] : [...added, ...callValues(calls, own)];
  return [
    { entity, values: new Map([...parameters, ...ownValues]) },
    ...[...others].map(([type, items]) => ({
      entity: type,
      values: new Map([
        ...items.flatMap((item, index) => numbered([...idValue(item.id), ...fieldValues(item)], index)),
        // Fields of the trigger's entity that the expressions read also matter.
        ...(readsTrigger(items) ? added.map(([name, value]) => [`entity.${name}`, value] as const) : []),
        ...callValues(calls, readsTrigger(items) ? [...items, ...own] : items),
      ]),
    })),
  ];
}

function numbered(values: Values, index: number): Values {
  return index === 0 ? values : values.map(([name, value]) => [`${name} (${index + 1})`, value]);
}

/** Uses positions in the path, because renaming a parameter does not change its value. */
function parameterText(value: ParameterField["value"]): string {
  const path = value.kind === "column" ? value.list : value.path;
  const members = value.kind === "column" ? value.members.map((member) => `.${member}`).join("") : "";
  return `${path.root}${path.positions.map((position) => `[${position}]`).join("")}${members}`;
}

function fieldValues({ fields }: EnrichmentEntity): Values {
  return fields.map(({ field, value }) => [field, valueOfExpression(value)]);
}

function idValue(id: EntityId): Values {
  if (id.kind === "trigger" || id.kind === "same")
    return [["id", { text: "the id of the trigger's entity" }]];
  const value = valueOfExpression(id.value);
  const prefix = id.kind === "suffix" ? "the id of the trigger's entity and " : "";
  return [["id", { ...value, text: prefix + value.text }]];
}

function valueOfExpression({ text, expression }: UserExpression): DescribedValue {
  return { text: oneLine(text), at: expression.at };
}

function oneLine(text: string): string {
  return text.trim().replace(/\s+/g, " ");
}

function expressionsOf({ id, fields }: EnrichmentEntity): readonly string[] {
  const own = id.kind === "suffix" || id.kind === "explicit" ? [id.value.text] : [];
  return [...own, ...fields.map(({ value }) => value.text)];
}

function readsTrigger(items: readonly EnrichmentEntity[]): boolean {
  return items.flatMap(expressionsOf).some((text) => /\bentity\b/.test(text));
}

/** The calls that affect entities: read by them, or aborting the enrichment on failure. */
function callValues(calls: readonly EnrichmentCall[], items: readonly EnrichmentEntity[]): Values {
  const deciding = calls.filter(({ essential, pre, post }) => essential || pre || post);
  const needed = new Set(deciding);
  const read = (texts: readonly string[]): void => {
    for (const call of calls) {
      if (needed.has(call) || !texts.some((text) => readsCall(text, call.ref))) continue;
      needed.add(call);
      read(textsOf(call));
    }
  };
  read([...items.flatMap(expressionsOf), ...deciding.flatMap(textsOf)]);
  return calls
    .filter((call) => needed.has(call))
    .map((call) => [`calls.${call.ref}`, { text: callText(call), at: call.at }]);
}

/** Whether an expression reads a call, or passes on all calls. String literals that look like it count, too. */
function readsCall(text: string, ref: string): boolean {
  const uses = [...text.matchAll(/\bcalls\b(?:\s*\.\s*(\w+))?/g)].map(([, name]) => name);
  return uses.some((name) => name === undefined || name === ref || name === `${ref}_reverted`);
}

function textsOf({ args, source, pre, post }: EnrichmentCall): readonly string[] {
  const more = [pre, post, source.kind === "expression" ? source.value : undefined];
  return [...args, ...more].flatMap((expression) => (expression ? [expression.text] : []));
}

/** Omits the ABI's name: the same function at the same address is the same call. */
function callText({ method, source, args, essential, pre, post }: EnrichmentCall): string {
  const at = sourceText(source);
  const parts = [
    `${method.signature} with (${args.map(({ text }) => oneLine(text)).join(", ")})${at}`,
    ...(essential ? ["required"] : []),
    ...(pre ? [`if ${oneLine(pre.text)}`] : []),
    ...(post ? [`provided that ${oneLine(post.text)}`] : []),
  ];
  return parts.join(", ");
}

function sourceText(source: CallSource): string {
  if (source.kind === "trigger") return "";
  return ` at ${source.kind === "address" ? source.address : oneLine(source.value.text)}`;
}
