import type { Heap } from "./heap.js";
import type { JsonTree } from "./json.js";
import { TypeId } from "./type-id.js";
import type { YamlTree } from "./yaml.js";

const kinds = { null: 0, bool: 1, number: 2, string: 3, array: 4, object: 5, tagged: 6 } as const;

/** The graph-ts classes for one format. Those for JSON and YAML have the same fields. */
interface TreeTypes {
  readonly value: number;
  readonly array: number;
  readonly entry: number;
  readonly entries: number;
  readonly map: number;
}

const jsonTypes: TreeTypes = {
  value: TypeId.JsonValue,
  array: TypeId.ArrayJsonValue,
  entry: TypeId.JsonEntry,
  entries: TypeId.ArrayJsonEntry,
  map: TypeId.JsonMap,
};
const yamlTypes: TreeTypes = {
  value: TypeId.YamlValue,
  array: TypeId.ArrayYamlValue,
  entry: TypeId.YamlEntry,
  entries: TypeId.ArrayYamlEntry,
  map: TypeId.YamlMap,
};

/** Writes a `JSONValue`. @returns its address */
export function writeJson(heap: Heap, tree: JsonTree): number {
  return writeTree(heap, tree, jsonTypes);
}

/** Writes a `YAMLValue`. @returns its address */
export function writeYaml(heap: Heap, tree: YamlTree): number {
  return writeTree(heap, tree, yamlTypes);
}

function writeTree(heap: Heap, tree: JsonTree | YamlTree, types: TreeTypes): number {
  return heap.tagged(types.value, kinds[tree.kind], payload(heap, tree, types));
}

function payload(heap: Heap, tree: JsonTree | YamlTree, types: TreeTypes): number {
  switch (tree.kind) {
    case "null":
      return 0;
    case "bool":
      return tree.value ? 1 : 0;
    case "number":
    case "string":
      return heap.string(tree.value);
    case "array": {
      const items = tree.value.map((item) => writeTree(heap, item, types));
      return heap.array(types.array, items);
    }
    case "object": {
      const entries = tree.value.map(([key, value]) => {
        // JSON keys are strings; YAML keys are values of any kind.
        const written = typeof key === "string" ? heap.string(key) : writeTree(heap, key, types);
        return heap.struct(types.entry, [written, writeTree(heap, value, types)]);
      });
      return heap.struct(types.map, [heap.array(types.entries, entries)]);
    }
    default: {
      const members = [heap.string(tree.tag), writeTree(heap, tree.value, types)];
      return heap.struct(TypeId.YamlTagged, members);
    }
  }
}
