import type { Diagram, DiagramGroup, HandlerBox } from "../../../subgraph/map/diagram.js";
import type { MapContract, MapTrigger, SubgraphMap } from "../../../subgraph/map/subgraph-map.js";

/** A handler of a map, with the line about it in the list below the drawing. */
export interface MapLine {
  readonly id: string;
  readonly box: HandlerBox;
  readonly trigger: MapTrigger;
  /** Its group in the drawing, where contracts can share a box. */
  readonly drawn: DiagramGroup;
  readonly contracts: readonly MapContract[];
  /** The entity types that the handlers of its group store, if it is unknown which stores which. */
  readonly together: readonly string[];
}

/** The handlers of a map, in drawing order. @param diagram of that map */
export function mapLines({ groups }: SubgraphMap, diagram: Diagram): readonly MapLine[] {
  return groups.flatMap(({ contracts, triggers, entities }, at) => {
    const drawn = diagram.groups[at];
    return triggers.flatMap((trigger, index) => {
      const box = drawn?.handlers[index];
      if (!drawn || !box) return [];
      return [{ id: `handler-${at + 1}-${index + 1}`, box, trigger, drawn, contracts, together: entities }];
    });
  });
}
