import type { Diagram, DiagramGroup, HandlerBox } from "../../../subgraph/map/diagram.js";
import type { MapGroup, SubgraphMap } from "../../../subgraph/map/subgraph-map.js";

/** A handler of a map, with the line about it in the list below the drawing. */
export interface MapLine {
  /** The id of the line. */
  readonly id: string;
  readonly handler: HandlerBox;
  /** Its group as it is drawn, in which many contracts can share a box. */
  readonly drawn: DiagramGroup;
  /** Its group with all contracts. */
  readonly group: MapGroup;
}

/** The handlers of a map, in drawing order. @param diagram of that map */
export function mapLines({ groups }: SubgraphMap, diagram: Diagram): readonly MapLine[] {
  return diagram.groups.flatMap((drawn, at) =>
    drawn.handlers.map((handler, index) => ({
      id: `handler-${at + 1}-${index + 1}`,
      handler,
      drawn,
      group: groups[at] ?? { contracts: [], triggers: [], entities: [] },
    })),
  );
}
