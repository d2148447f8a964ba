import { quote } from "../../base/text/quote.js";
import type { Report } from "../diagnostics/report.js";
import { type Member, member, type TreeNode } from "../source/tree.js";
import { childOf, itemsOf, membersOf } from "./shape/tree-access.js";

/**
 * Warns about empty objects without effect in a valid configuration. With errors, an object may be empty because it
 * is unfinished, so this runs last.
 */
export function findEmptySettings(config: TreeNode, report: Report): void {
  for (const instance of itemsOf(childOf(config, "instances"))) {
    const enrich = childOf(instance, "enrich");
    const handlers = enrich && member(enrich, "handlers");
    if (handlers && isEmpty(handlers.value)) {
      report.warning("empty-setting", handlers.key.at, '"handlers" is empty: the enrichment does nothing', {
        label: "names no event or function",
        hint: 'add the signature of an event, or remove "enrich"',
      });
    }
    for (const handler of membersOf(handlers?.value)) checkHandler(handler, report);
  }
}

function checkHandler({ value }: Member, report: Report): void {
  const [calls, entities] = [member(value, "calls"), member(value, "entities")];
  if (calls && isEmpty(calls.value)) {
    report.note("empty-setting", calls.key.at, '"calls" is empty: no call is made', {
      label: "it has no effect",
      hint: 'remove "calls"',
    });
  }
  // Calls whose results are not stored have their own diagnostic.
  const makesCalls = membersOf(calls?.value).length > 0;
  if (entities && isEmpty(entities.value) && !makesCalls) {
    report.warning("empty-setting", entities.key.at, '"entities" is empty: the handler stores nothing', {
      label: "names no entity",
      hint: "add an entity, or remove the handler",
    });
  }
  for (const entity of membersOf(entities?.value)) checkEntity(entity, report);
}

function checkEntity({ key, value }: Member, report: Report): void {
  const mappings = itemsOf(value).flatMap((item) => member(item, "mapping") ?? []);
  for (const { key: at, value: fields } of value.kind === "array" ? mappings : [{ key, value }]) {
    if (!isEmpty(fields)) continue;
    const message = `entity ${quote(key.value)} has no fields of its own`;
    report.note("empty-setting", at.at, message, {
      label: "only its id and its relation are stored",
      hint: 'add its fields, such as "owner address": "event.params.owner.toHexString()"',
    });
  }
}

function isEmpty(node: TreeNode): boolean {
  return node.kind === "object" && node.members.length === 0;
}
