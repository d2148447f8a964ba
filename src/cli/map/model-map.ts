import type { ModelOutline, SourceOutline } from "../../compiler/model/model-outline.js";
import { groupContracts, type MapContract, type SubgraphMap } from "../../subgraph/map/subgraph-map.js";

/** The map of a configuration, with the entities that each handler stores. */
export function mapOfModel(model: ModelOutline): SubgraphMap {
  const handlers = new Map(model.modules.flatMap((module) => module.handlers.map((one) => [one.name, one])));
  const listener = (contract: MapContract, source: SourceOutline) => ({
    contract,
    triggers: source.handlers.flatMap((name) => {
      const handler = handlers.get(name);
      if (!handler) return [];
      const { trigger, signature, entities, creates } = handler;
      return [{ kind: trigger, text: signature, entities, creates }];
    }),
    entities: [],
  });
  const listening = model.chains.flatMap(({ chain, dataSources, templates }) => [
    ...dataSources.map((source) => {
      const { name, address, startBlock } = source;
      return listener(
        { name, details: [chain, address, `from block ${startBlock}`], isTemplate: false },
        source,
      );
    }),
    ...templates.map((source) => listener({ name: source.name, details: [chain], isTemplate: true }, source)),
  ]);
  return {
    title: [model.name ?? "a subgraph", model.version].filter((part) => part !== undefined).join("/"),
    groups: groupContracts(listening),
    entities: model.entities.map(({ name }) => name),
  };
}
