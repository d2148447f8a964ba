import type { DescribedSource, DescribedTrigger } from "../../compiler/describe/described.js";
import { type Location, positionAt } from "../../compiler/source/source.js";
import type { Place, SourceFacts, TriggerFacts, ValueFacts } from "../../subgraph/changes/facts.js";

/** Derives the facts about a subgraph from its configuration. */
export function factsOfConfig(sources: readonly DescribedSource[]): readonly SourceFacts[] {
  // Contracts with the same ABI share their handlers.
  const known = new Map<DescribedTrigger, TriggerFacts>();
  return sources.map(({ triggers, at, places, ...source }) => ({
    ...source,
    triggers: triggers.map((trigger) => {
      const facts = known.get(trigger) ?? triggerFacts(trigger);
      known.set(trigger, facts);
      return facts;
    }),
    place: placeOf(at),
    addressPlace: places && placeOf(places.address),
    startBlockPlace: places && placeOf(places.startBlock),
  }));
}

function triggerFacts({ at, stores, ...trigger }: DescribedTrigger): TriggerFacts {
  return {
    ...trigger,
    filter: "",
    place: placeOf(at),
    stores: stores.map(({ entity, values }) => ({
      entity,
      values: new Map(
        [...values].map(([name, value]): [string, ValueFacts] => [
          name,
          { text: value.text, ...(value.at && { place: placeOf(value.at) }) },
        ]),
      ),
    })),
  };
}

function placeOf({ source, start }: Location): Place {
  return { path: source.path, ...positionAt(source, start) };
}
