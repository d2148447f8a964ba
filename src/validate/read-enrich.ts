import type { Report } from "../diagnostics/report.js";
import type { Member, TreeNode } from "../source/tree.js";
import type { CallConfig, Enrich, EntityConfig, EntityItem, HandlerConfig } from "./config.js";
import { readFields } from "./read-fields.js";
import {
  booleanOf,
  childOf,
  itemsOf,
  membersOf,
  optionalString,
  stringOf,
  stringsOf,
} from "./tree-access.js";

/** Takes an enrichment apart that satisfies the schema; only the keys of fields can still be wrong. */
export function readEnrich(node: TreeNode, report: Report): Enrich {
  const options = childOf(node, "options");
  return {
    at: node.at,
    debugging: booleanOf(options, "debugging"),
    imports: stringsOf(childOf(options, "imports")),
    handlers: membersOf(childOf(node, "handlers")).map((handler) => readHandler(handler, report)),
  };
}

function readHandler({ key, value }: Member, report: Report): HandlerConfig {
  return {
    signature: key,
    calls: membersOf(childOf(value, "calls")).map(readCall),
    entities: membersOf(childOf(value, "entities")).map((entity) => readEntity(entity, report)),
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

function readEntity({ key, value }: Member, report: Report): EntityConfig {
  if (value.kind === "array") {
    return { name: key, form: "array", items: itemsOf(value).map((item) => readItem(item, report)) };
  }
  const item: EntityItem = { at: value.at, explicitId: false, fields: readFields(value, report) };
  return { name: key, form: "simple", items: [item] };
}

function readItem(node: TreeNode, report: Report): EntityItem {
  return {
    at: node.at,
    id: stringOf(node, "id"),
    explicitId: booleanOf(node, "explicit_id"),
    fields: readFields(childOf(node, "mapping"), report),
  };
}
