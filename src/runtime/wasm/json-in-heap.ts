import type { Heap } from "./heap.js";
import type { JsonTree } from "./json.js";
import { TypeId } from "./type-id.js";

const kinds = { null: 0, bool: 1, number: 2, string: 3, array: 4, object: 5 } as const;

export function writeJson(heap: Heap, tree: JsonTree): number {
  return heap.tagged(TypeId.JsonValue, kinds[tree.kind], payload(heap, tree));
}

function payload(heap: Heap, tree: JsonTree): number {
  switch (tree.kind) {
    case "null":
      return 0;
    case "bool":
      return tree.value ? 1 : 0;
    case "number":
    case "string":
      return heap.string(tree.value);
    case "array": {
      const items = tree.value.map((item) => writeJson(heap, item));
      return heap.array(TypeId.ArrayJsonValue, items);
    }
    default: {
      const entries = tree.value.map(([key, value]) => {
        const members = [heap.string(key), writeJson(heap, value)];
        return heap.struct(TypeId.JsonEntry, members);
      });
      return heap.struct(TypeId.JsonMap, [heap.array(TypeId.ArrayJsonEntry, entries)]);
    }
  }
}
