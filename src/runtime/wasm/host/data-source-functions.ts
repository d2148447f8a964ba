import { readEntity, writeEntity } from "../entity-in-heap.js";
import type { HostFunctions } from "../webassembly.js";
import type { HostSession } from "./session.js";

export function dataSourceFunctions(session: HostSession): HostFunctions {
  const texts = (at: number): string[] =>
    session.heap.readArray(at).map((text) => session.heap.readString(text));
  return {
    "dataSource.create": (template = 0, params = 0) => {
      session.tally.add("dataSources");
      session.world.createDataSource(session.heap.readString(template), texts(params));
      return undefined;
    },
    "dataSource.createWithContext": (template = 0, params = 0, context = 0) => {
      const { heap, world, tally } = session;
      tally.add("dataSources");
      world.createDataSource(heap.readString(template), texts(params), readEntity(heap, context));
      return undefined;
    },
    "dataSource.address": () => session.heap.hex(session.world.address),
    "dataSource.network": () => session.heap.string(session.world.network),
    "dataSource.context": () => writeEntity(session.heap, session.world.context),
  };
}
