import type { Heap } from "./heap.js";
import { TypeId } from "./type-id.js";
import type { YamlTree } from "./yaml.js";

const kinds = { null: 0, bool: 1, number: 2, string: 3, array: 4, object: 5, tagged: 6 } as const;

export function writeYaml(heap: Heap, tree: YamlTree): number {
  return heap.tagged(TypeId.YamlValue, kinds[tree.kind], payload(heap, tree));
}

function payload(heap: Heap, tree: YamlTree): number {
  switch (tree.kind) {
    case "null":
      return 0;
    case "bool":
      return tree.value ? 1 : 0;
    case "number":
    case "string":
      return heap.string(tree.value);
    case "array": {
      const items = tree.value.map((item) => writeYaml(heap, item));
      return heap.array(TypeId.ArrayYamlValue, items);
    }
    case "object": {
      const entries = tree.value.map(([key, value]) => {
        const members = [writeYaml(heap, key), writeYaml(heap, value)];
        return heap.struct(TypeId.YamlEntry, members);
      });
      return heap.struct(TypeId.YamlMap, [heap.array(TypeId.ArrayYamlEntry, entries)]);
    }
    default: {
      const members = [heap.string(tree.tag), writeYaml(heap, tree.value)];
      return heap.struct(TypeId.YamlTagged, members);
    }
  }
}
