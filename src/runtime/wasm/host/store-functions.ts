import { readEntity, writeEntity } from "../entity-in-heap.js";
import { TypeId } from "../type-id.js";
import type { HostFunctions } from "../webassembly.js";
import type { HostSession } from "./session.js";

export function storeFunctions(session: HostSession): HostFunctions {
  const text = (at: number): string => session.heap.readString(at);
  return {
    "store.get": (type = 0, id = 0) => {
      const entity = session.world.get(text(type), text(id));
      return entity ? writeEntity(session.heap, entity) : 0;
    },
    "store.get_in_block": (type = 0, id = 0) => {
      const entity = session.world.getInBlock(text(type), text(id));
      return entity ? writeEntity(session.heap, entity) : 0;
    },
    "store.loadRelated": (type = 0, id = 0, field = 0) => {
      const { heap, world } = session;
      const entities = world.related(text(type), text(id), text(field));
      const items = entities.map((entity) => writeEntity(heap, entity));
      return heap.array(TypeId.ArrayStoreMap, items);
    },
    "store.set": (type = 0, id = 0, data = 0) => {
      session.tally.add("writes");
      session.world.set(text(type), text(id), readEntity(session.heap, data));
      return undefined;
    },
    "store.remove": (type = 0, id = 0) => {
      session.tally.add("writes");
      session.world.remove(text(type), text(id));
      return undefined;
    },
  };
}
