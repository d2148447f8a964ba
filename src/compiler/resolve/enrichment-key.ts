import type { Enrich, EntityItem, HandlerConfig } from "../validate/config.js";

/**
 * A key that is equal for equivalent handler configurations. Ignores the order of keys, except for calls, which are
 * made in written order.
 */
export function enrichmentKey(enrich: Enrich, handler: HandlerConfig): string {
  return JSON.stringify([
    enrich.debugging,
    handler.handler?.value ?? null,
    handler.calls.map((call) => [
      call.ref.value,
      call.abi?.value ?? null,
      call.source?.value ?? null,
      call.name.value,
      call.params?.value ?? null,
      call.dependsOn.map(({ value }) => value).sort(),
      call.required,
      call.declared !== undefined,
      call.pre?.value ?? null,
      call.post?.value ?? null,
    ]),
    handler.brokenCalls,
    handler.entities
      .map(({ name, form, items }) => [name.value, form, items.map(itemKey)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  ]);
}

function itemKey(item: EntityItem): unknown {
  return [
    item.id?.value ?? null,
    item.explicitId,
    item.fields
      .map(({ name, type, value }) => [name.value, type.value, value.value] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  ];
}
