import { visibleJson } from "../../base/visible.js";
import type { Comparison } from "../../compare/compare-endpoints.js";
import type { QueryEndpoint } from "../../compare/endpoint.js";

/**
 * The document of `--output json`:
 *
 *     {
 *       "equal": false,
 *       "block": { "number": 19000000, "left": "0x…", "right": null, "same": true },
 *       "left": { "endpoint": "https://…", "deployment": "Qm…", "head": 19000123 }, "right": { … },
 *       "schema": [{ "kind": "field", "name": "Swap.fee", "only": "left" }, …],
 *       "left_out": [{ "name": "Stats", "why": "…" }, …],
 *       "entities": {
 *         "Swap": {
 *           "left": 100000, "right": 100000, "only_left": 0, "only_right": 0, "different": 1,
 *           "fields": { "amount": 1 },
 *           "first": [{ "id": "0x…", "only": null,
 *                       "fields": [{ "name": "amount", "left": "\"1\"", "right": "\"2\"" }] }]
 *         }
 *       }
 *     }
 *
 * `block.same` is null when it is unknown whether both sides mean the same block. In `schema`, `kind` is `type`,
 * `field`, `enum` or `search` with `only`, or `field-type` or `enum-values` with `left` and `right`. Values are JSON
 * in strings; long ones are shortened. Later versions may add members, but never change the meaning of one.
 */
export function comparisonAsJson(
  comparison: Comparison,
  sides: readonly [QueryEndpoint, QueryEndpoint],
): string {
  const { block, heads, plan, types, isEqual } = comparison;
  const side = (index: 0 | 1): object => ({
    endpoint: sides[index].shown,
    deployment: heads[index].deployment ?? null,
    head: heads[index].number,
  });
  const entities = types.map(({ name, last: _last, isDone: _isDone, ...counts }) => [name, counts] as const);
  const document = {
    equal: isEqual,
    block: {
      number: block.number,
      left: block.left ?? null,
      right: block.right ?? null,
      same: block.isSame ?? null,
    },
    left: side(0),
    right: side(1),
    schema: plan.differences,
    left_out: plan.left_out,
    entities: Object.fromEntries(entities),
  };
  return `${visibleJson(JSON.stringify(document, null, 2))}\n`;
}
