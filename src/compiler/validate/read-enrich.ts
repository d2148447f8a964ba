import type { Abi } from "../abi/abi.js";
import type { Report } from "../diagnostics/report.js";
import type { Member, TreeNode } from "../source/tree.js";
import type { CallConfig, Enrich, EntityConfig, EntityItem, FieldConfig, HandlerConfig } from "./config.js";
import { readFields } from "./read-fields.js";
import { knownValue } from "./shape/guess-type.js";
import { nameOfItem } from "./shape/right-shape.js";
import {
  booleanOf,
  childOf,
  itemsOf,
  membersOf,
  optionalString,
  stringOf,
  stringsOf,
} from "./shape/tree-access.js";
import type { Soundness } from "./soundness.js";

/**
 * Reads the parts of an enrichment that satisfy the schema. Validates the keys of fields.
 * @param abi the instance's ABI, if known
 */
export function readEnrich(
  node: TreeNode,
  abi: Abi | undefined,
  soundness: Soundness,
  report: Report,
): Enrich {
  const options = soundness.child(node, "options");
  return {
    at: node.at,
    debugging: booleanOf(options, "debugging"),
    imports: stringsOf(childOf(options, "imports")),
    handlers: membersOf(childOf(node, "handlers")).map((handler) =>
      readHandler(handler, abi, soundness, report),
    ),
  };
}

function readHandler(
  { key, value }: Member,
  abi: Abi | undefined,
  soundness: Soundness,
  report: Report,
): HandlerConfig {
  const written = childOf(value, "calls");
  const calls = membersOf(written);
  const fieldsOf = (node: TreeNode | undefined): readonly FieldConfig[] =>
    readFields(node, (expression) => knownValue(expression, key.value, abi), report);
  const handler = soundness.child(value, "handler");
  const isWhole = ({ value: call }: Member): boolean => soundness.isSound(call);
  return {
    signature: key,
    ...(handler?.kind === "string" && { handler }),
    calls: calls.filter(isWhole).map(readCall),
    brokenCalls: [
      ...calls.filter((call) => !isWhole(call)).map((call) => call.key.value),
      ...itemsOf(written).flatMap((item) => nameOfItem("calls", item) ?? []),
    ],
    entities: membersOf(childOf(value, "entities")).flatMap(
      (entity) => readEntity(entity, fieldsOf, soundness) ?? [],
    ),
  };
}

function readCall({ key, value }: Member): CallConfig {
  const abi = optionalString(value, "abi");
  const source = optionalString(value, "source");
  const params = optionalString(value, "params");
  const declared = childOf(value, "declared");
  const conditions = childOf(value, "conditions");
  const pre = optionalString(conditions, "pre");
  const post = optionalString(conditions, "post");
  return {
    at: value.at,
    ref: key,
    ...(abi && { abi }),
    ...(source && { source }),
    name: stringOf(value, "name"),
    ...(params && { params }),
    dependsOn: stringsOf(childOf(value, "depends_on")),
    required: booleanOf(value, "required"),
    ...(declared && booleanOf(value, "declared") && { declared: { value: true, at: declared.at } }),
    ...(pre && { pre }),
    ...(post && { post }),
  };
}

/** @returns `undefined` for a value that is not an entity */
function readEntity(
  { key, value }: Member,
  fieldsOf: (mapping: TreeNode | undefined) => readonly FieldConfig[],
  soundness: Soundness,
): EntityConfig | undefined {
  if (soundness.isWrong(value)) return undefined;
  if (value.kind === "array") {
    const items = itemsOf(value).filter((item) => item.kind === "object");
    return { name: key, form: "array", items: items.map((item) => readItem(item, fieldsOf)) };
  }
  return {
    name: key,
    form: "simple",
    items: [{ at: value.at, explicitId: false, fields: fieldsOf(value) }],
  };
}

function readItem(
  node: TreeNode,
  fieldsOf: (mapping: TreeNode | undefined) => readonly FieldConfig[],
): EntityItem {
  const id = optionalString(node, "id");
  return {
    at: node.at,
    ...(id && { id }),
    explicitId: booleanOf(node, "explicit_id"),
    fields: fieldsOf(childOf(node, "mapping")),
  };
}
