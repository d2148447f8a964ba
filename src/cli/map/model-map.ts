import type { EntityOutline, ModelOutline, SourceOutline } from "../../compiler/model/model-outline.js";
import { baseFields } from "../../compiler/resolve/entities/entity-types.js";
import {
  groupContracts,
  type MapContract,
  type MapField,
  type SubgraphMap,
} from "../../subgraph/map/subgraph-map.js";

/**
 * The map of a configuration, with the entities that each handler stores.
 * @param withFields whether to show the fields of entities
 */
export function mapOfModel(model: ModelOutline, withFields = false): SubgraphMap {
  const handlers = new Map(model.modules.flatMap((module) => module.handlers.map((one) => [one.name, one])));
  const listener = (contract: MapContract, source: SourceOutline) => ({
    contract,
    triggers: source.handlers.flatMap((name) => {
      const handler = handlers.get(name);
      if (!handler) return [];
      const { trigger, signature, parameters, calls, entities, creates } = handler;
      return [{ kind: trigger, text: signature, parameters, calls, entities, creates }];
    }),
    entities: [],
  });
  const listening = model.chains.flatMap(({ chain, dataSources, templates }) => [
    ...dataSources.map((source) => {
      const { name, abi, address, startBlock } = source;
      return listener({ name, abi, network: chain, address, startBlock, isTemplate: false }, source);
    }),
    ...templates.map((source) => {
      const { name, abi } = source;
      return listener({ name, abi, network: chain, address: "", isTemplate: true }, source);
    }),
  ]);
  return {
    title: [model.name ?? "a subgraph", model.version].filter((part) => part !== undefined).join("/"),
    groups: groupContracts(listening),
    entities: model.entities.map(({ name }) => name),
    ...(withFields && { fields: new Map(model.entities.map((entity) => [entity.name, ownFields(entity)])) }),
  };
}

/** The fields of an entity without its id and the fields common to all entities of events and calls. */
function ownFields({ fields }: EntityOutline): readonly MapField[] {
  const isOfTrigger = baseFields.every(([name], index) => fields[index]?.name === name);
  return fields.slice(isOfTrigger ? baseFields.length : 1);
}
