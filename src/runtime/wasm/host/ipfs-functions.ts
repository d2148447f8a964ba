import type { StoreValue } from "../../../subgraph/schema/entity.js";
import { DeterministicError, RetriedError } from "../../errors.js";
import { readStoreValue } from "../entity-in-heap.js";
import { type JsonTree, parseJsonTree } from "../json.js";
import type { HostFunctions } from "../webassembly.js";
import type { HostSession } from "./session.js";

/** Calls an exported function in a separate instance, in the world of the running handler. */
export type RunCallback = (name: string, value: JsonTree, userData: StoreValue) => void;

/** Host functions for IPFS files. */
export function ipfsFunctions(session: HostSession, runCallback: RunCallback): HostFunctions {
  return {
    "ipfs.cat": (path = 0) => {
      const { heap, world, tally } = session;
      tally.add("calls");
      const content = world.file(heap.readString(path));
      return content ? heap.bytes(content) : 0;
    },
    "ipfs.getBlock": (path = 0) => {
      const { heap, world, tally } = session;
      tally.add("calls");
      const address = heap.readString(path);
      const content = world.ipfsBlock(address);
      if (content) return heap.bytes(content);
      world.log("info", `Failed ipfs.getBlock, returning \`null\`: ${address}`);
      return 0;
    },
    "ipfs.map": (path = 0, callback = 0, userData = 0, flags = 0) => {
      const { heap, world, tally } = session;
      tally.add("calls");
      const given = heap.readArray(flags).map((flag) => heap.readString(flag));
      if (given.length !== 1 || given[0] !== "json") {
        throw new DeterministicError(`ipfs.map accepts only the flag "json", not ${JSON.stringify(given)}`);
      }
      const name = heap.readString(callback);
      const data = readStoreValue(heap, userData, 0);
      for (const value of linesOf(world.neededFile(heap.readString(path)))) runCallback(name, value, data);
      return undefined;
    },
  };
}

const utf8 = new TextDecoder();

/** The values of a file with one JSON value on each line. */
function* linesOf(content: Uint8Array): Iterable<JsonTree> {
  for (const line of utf8.decode(content).split("\n")) {
    if (line.trim() !== "") yield readLine(line);
  }
}

/** @throws RetriedError for a line that is not JSON, because a file may not be the same everywhere */
function readLine(line: string): JsonTree {
  try {
    return parseJsonTree(line);
  } catch (error) {
    throw error instanceof DeterministicError ? new RetriedError(error.message) : error;
  }
}
