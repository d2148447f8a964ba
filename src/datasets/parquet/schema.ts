import type { SchemaElement } from "hyparquet";
import type { Column } from "./column.js";

/** The schema of a file with these columns. */
export function schemaOf(columns: readonly Column[]): SchemaElement[] {
  return [{ name: "root", num_children: columns.length }, ...columns.flatMap(elementsOf)];
}

function elementsOf({ name, type, nullable = false }: Column): SchemaElement[] {
  const repetition_type = nullable ? "OPTIONAL" : "REQUIRED";
  switch (type) {
    case "string":
      return [{ name, type: "BYTE_ARRAY", converted_type: "UTF8", repetition_type }];
    case "long":
      return [{ name, type: "INT64", repetition_type }];
    case "double":
      return [{ name, type: "DOUBLE", repetition_type }];
    case "boolean":
      return [{ name, type: "BOOLEAN", repetition_type }];
    case "timestamp":
      // DuckDB takes one without the logical type for a local time.
      return [
        {
          name,
          type: "INT64",
          converted_type: "TIMESTAMP_MICROS",
          logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MICROS" },
          repetition_type,
        },
      ];
    case "hex":
      return [{ name, type: "BYTE_ARRAY", repetition_type }];
    case "strings":
      return [
        { name, converted_type: "LIST", repetition_type, num_children: 1 },
        { name: "list", repetition_type: "REPEATED", num_children: 1 },
        { name: "element", type: "BYTE_ARRAY", converted_type: "UTF8", repetition_type: "REQUIRED" },
      ];
  }
}

/** Whether a file's schema has exactly these columns, in order. */
export function hasSchema(found: readonly SchemaElement[], columns: readonly Column[]): boolean {
  const wanted = schemaOf(columns).map(shapeOf);
  // The root's other fields do not matter.
  return found.length === wanted.length && found.every((element, at) => shapeOf(element, at) === wanted[at]);
}

function shapeOf(element: SchemaElement, at: number): string {
  const { name, type, repetition_type, converted_type, num_children } = element;
  return JSON.stringify(
    at === 0 ? [num_children] : [name, type, repetition_type, converted_type, num_children],
  );
}
