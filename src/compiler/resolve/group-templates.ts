import { present } from "../../base/invariant.js";
import type { TemplateInstance } from "../validate/config.js";
import type { UsedAbi } from "./bind-abis.js";
import { type CreationEvent, findCreationEvent } from "./find-event.js";
import type { InstanceListener, Variant } from "./listen.js";
import type { Resolution } from "./resolution.js";

/** Equivalent templates, merged: one ABI with one enrichment, created by any number of events. */
export interface TemplateGroup {
  readonly variants: InstanceListener["variants"];
  /** Name of the ABI of the created contracts. */
  readonly abi: string;
  readonly origins: readonly TemplateOrigin[];
}

/** An instance of a template, and the event that creates its contracts. */
export interface TemplateOrigin {
  readonly instance: TemplateInstance;
  readonly creation: CreationEvent;
}

export interface NamedTemplate extends TemplateGroup {
  readonly name: string;
}

/** Merges template instances that differ only in their creating events. */
export function groupTemplates(
  listeners: readonly InstanceListener[],
  resolution: Resolution,
): readonly TemplateGroup[] {
  const groups: { variants: readonly Variant[]; abi: string; origins: TemplateOrigin[] }[] = [];
  for (const { instance, variants } of listeners) {
    if (instance.kind !== "template") continue;
    const origin = findOrigin(instance, resolution);
    if (!origin) continue;
    const same = groups.find(
      (group) => group.abi === instance.abi.value && sameVariants(group.variants, variants),
    );
    if (same) same.origins.push(origin);
    else groups.push({ variants, abi: instance.abi.value, origins: [origin] });
  }
  return groups;
}

/** Names templates after their ABI. Further templates of an ABI, with different enrichments, get a number. */
export function nameTemplates(
  groups: readonly TemplateGroup[],
  abis: ReadonlyMap<string, UsedAbi>,
): readonly NamedTemplate[] {
  const count = new Map<string, number>();
  return groups.map((group) => {
    const ordinal = (count.get(group.abi) ?? 0) + 1;
    count.set(group.abi, ordinal);
    const { className } = present(abis.get(group.abi), "a template's ABI is not bound").names;
    return { ...group, name: ordinal === 1 ? className : `${className}_${ordinal}` };
  });
}

function findOrigin(
  instance: TemplateInstance,
  { declarations, report }: Resolution,
): TemplateOrigin | undefined {
  const source = declarations.get(instance.source.abi.value);
  const creation = source && findCreationEvent(instance.source, source, [...declarations.values()], report);
  return creation && { instance, creation };
}

function sameVariants(a: readonly Variant[], b: readonly Variant[]): boolean {
  return a.length === b.length && a.every((variant, index) => variant === b[index]);
}
