import { Heap, unknownTypeIds } from "../dist/runtime/wasm/heap.js";
import { hostFunctions } from "../dist/runtime/wasm/host/host-functions.js";
import { Session } from "../dist/runtime/wasm/host/session.js";
import { Tally } from "../dist/runtime/wasm/host/tally.js";
import { handlerLimits } from "../dist/runtime/wasm/limits.js";
import { writeTrigger } from "../dist/runtime/wasm/trigger-in-heap.js";
import { countInstructions } from "./count-instructions.mjs";

/** What an allocation of no bytes takes, in bytes. */
const smallestBlock = 16;

/**
 * Runs a handler once in an instance of its own and counts what it costs, without the start of the instance.
 * @returns how often it calls each host function, the bytes it allocates itself and those the host allocates for
 *   what it returns, and the instructions it executes
 */
export function countHandler(wasm, handler, trigger, world) {
  const module = new WebAssembly.Module(countInstructions(wasm));
  const session = new Session();
  const host = hostFunctions(session);
  const count = { calls: {}, ownBytes: 0, hostBytes: 0, instructions: 0 };
  const imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    imports[from] ??= {};
    imports[from][name] = (...args) => {
      count.calls[name] = (count.calls[name] ?? 0) + 1;
      return host[name](...args);
    };
  }
  const { exports } = new WebAssembly.Instance(module, imports);
  const heap = new Heap(exports.memory, unknownTypeIds());
  let [arenas, asked] = [0, 0];
  // The allocator hands out what comes next; asking for nothing, which takes a block too, shows where that is.
  const end = () => {
    const at = exports.allocate(0) - asked;
    asked += smallestBlock;
    return at;
  };
  heap.attach({
    ...exports,
    allocate(size) {
      const before = end();
      const at = exports.allocate(size);
      arenas += end() - before;
      return at;
    },
  });
  countObjects(heap, exports.memory, (bytes) => {
    count.hostBytes += bytes;
  });
  session.during({ heap, world, tally: new Tally(handlerLimits) }, () => {
    exports._start();
    const argument = writeTrigger(heap, trigger);
    Object.assign(count, { calls: {}, hostBytes: 0 });
    const [before, executed] = [end() - arenas, exports.executed.value];
    exports[handler](argument);
    count.instructions = Number(exports.executed.value - executed);
    count.ownBytes = end() - arenas - before;
  });
  return count;
}

/** Tells of every object the host makes, with its header. */
function countObjects(heap, memory, tell) {
  const word = (at) => new DataView(memory.buffer).getInt32(at, true);
  const size = (at) => word(at - 20) + 4;
  for (const method of ["struct", "string", "wrappedBool"]) {
    const make = heap[method].bind(heap);
    heap[method] = (...args) => {
      const at = make(...args);
      tell(size(at));
      return at;
    };
  }
  // These make an array, which is a struct and told of by that, and its buffer; some by way of one another.
  let depth = 0;
  for (const method of ["hex", "bytes", "bigInt", "int"]) {
    const make = heap[method].bind(heap);
    heap[method] = (...args) => {
      depth++;
      const at = make(...args);
      depth--;
      if (depth === 0) tell(size(word(at)));
      return at;
    };
  }
}
