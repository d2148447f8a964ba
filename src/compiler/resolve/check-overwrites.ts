import { quote } from "../../base/text/quote.js";
import { entryIdentity } from "../abi/abi.js";
import type { Report } from "../diagnostics/report.js";
import type { Location } from "../source/source.js";
import { enrichmentKey } from "./enrichment-key.js";
import type { PlannedEntity } from "./entities/plan-entities.js";
import type { NamedTemplate } from "./group-templates.js";
import type { InstanceListener, Variant } from "./listen.js";

/** Two enriched variants that run for the same log, in written order. */
export type Meeting = readonly [Variant, Variant];

/**
 * Finds enrichments that run for the same log: two instances share an event of their ABIs and an address, or are
 * templates created from the same parameter.
 */
export function findMeetings(
  listeners: readonly InstanceListener[],
  templates: readonly NamedTemplate[],
): readonly Meeting[] {
  const met = new Map<string, Variant[]>();
  const add = (place: string, variant: Variant): void => {
    if (!variant.enrichment || variant.entry.kind !== "event") return;
    const key = `${place} ${entryIdentity(variant.entry)}`;
    const there = met.get(key) ?? [];
    met.set(key, there);
    there.push(variant);
  };
  for (const { instance, variants } of listeners) {
    if (instance.kind !== "data-source") continue;
    const place = `${instance.chain.value} ${instance.address.value.toLowerCase()}`;
    for (const variant of variants) add(place, variant);
  }
  for (const { origins, variants } of templates) {
    for (const { instance, creation } of origins) {
      const place = `${instance.source.abi.value} ${entryIdentity(creation.event)} ${creation.position}`;
      for (const variant of variants) add(place, variant);
    }
  }
  return [...met.values()].flatMap(pairs);
}

function pairs(variants: readonly Variant[]): readonly Meeting[] {
  return variants.flatMap((one, at) => variants.slice(at + 1).map((other): Meeting => [one, other]));
}

/** Reports where one enrichment overwrites what the other has stored. */
export function checkOverwrites(
  meetings: readonly Meeting[],
  entitiesOf: (variant: Variant) => readonly PlannedEntity[],
  report: Report,
): void {
  const seen = new Set<Location>();
  for (const [one, other] of meetings) {
    if (one === other || variantKey(one) === variantKey(other)) continue;
    for (const later of entitiesOf(other)) {
      for (const earlier of entitiesOf(one)) reportOverwrite(earlier, later, [one, other], seen, report);
    }
  }
}

function variantKey({ enrichment }: Variant): string {
  return enrichment ? enrichmentKey(enrichment.enrich, enrichment.handler) : "";
}

function reportOverwrite(
  earlier: PlannedEntity,
  later: PlannedEntity,
  [one, other]: Meeting,
  seen: Set<Location>,
  report: Report,
): void {
  if (earlier.creator.type !== later.creator.type) return;
  const places = later.creator.extendsTrigger ? commonField(earlier, later) : commonId(earlier, later);
  if (!places || seen.has(places.later)) return;
  seen.add(places.later);
  const [first, second] = [one, other].map(({ declaration }) => quote(declaration.name.value));
  report.error("entity-overwritten", places.later, `${places.what} is stored twice for one event`, {
    label: "would overwrite the other",
    related: [{ at: places.earlier, text: "stored for the same event" }],
    notes: [
      `the ABIs ${first} and ${second} are at the same address and share event ${quote(other.entry.name)}`,
    ],
    hint: places.hint,
  });
}

interface Overwrite {
  readonly what: string;
  readonly earlier: Location;
  readonly later: Location;
  readonly hint: string;
}

/** A field of the triggering entity that both enrichments set. */
function commonField(
  { creator: earlier }: PlannedEntity,
  { creator: later }: PlannedEntity,
): Overwrite | undefined {
  if (!earlier.extendsTrigger) return undefined;
  for (const { config } of later.fields) {
    const same = earlier.fields.find((field) => field.config.name.value === config.name.value);
    if (!same) continue;
    const what = `${later.name.value}.${config.name.value}`;
    return {
      what,
      earlier: same.config.name.at,
      later: config.name.at,
      hint: "set it in only one of the two",
    };
  }
  return undefined;
}

/** An id with which both enrichments create an entity without loading it. */
function commonId(earlier: PlannedEntity, later: PlannedEntity): Overwrite | undefined {
  if (earlier.creator.extendsTrigger || earlier.creator.item.explicitId || later.creator.item.explicitId) {
    return undefined;
  }
  if (earlier.id?.parsed.text !== later.id?.parsed.text) return undefined;
  return {
    what: `entity ${quote(later.creator.name.value)}`,
    earlier: earlier.creator.item.id?.at ?? earlier.creator.name.at,
    later: later.creator.item.id?.at ?? later.creator.name.at,
    hint: later.id
      ? "give one of them a different id"
      : "give one of them a different name, or merge both into one enrichment",
  };
}
