import { quote } from "../../base/text/quote.js";
import { suggest } from "../../base/text/suggest.js";
import type { Report } from "../../compiler/diagnostics/report.js";
import type { RowColumn, ValueType } from "../changes/schema.js";
import { type OverrideType, overrideType } from "../definition/override-type.js";
import type { Named } from "../definition/settings.js";

/** Column types that scripts can produce. An unsigned 64-bit integer does not fit LONG. */
const scriptTypes: Readonly<Record<string, ValueType>> = {
  string: "STRING",
  uint64: "DECIMAL",
  int64: "LONG",
  float64: "DOUBLE",
  boolean: "BOOLEAN",
  bytes: "STRING",
};

const scriptTypeNames = Object.keys(scriptTypes);

/** The columns of a script's schema; `undefined` after a reported error. */
export function scriptColumns(
  schema: readonly Named<string>[],
  report: Report,
): readonly RowColumn[] | undefined {
  const columns = schema.flatMap(({ name, value }): RowColumn[] => {
    const type = Object.hasOwn(scriptTypes, value.value) ? scriptTypes[value.value] : undefined;
    if (type) return [{ name: name.value, type, nullable: true }];
    const [near] = suggest(value.value, scriptTypeNames);
    report.error("wrong-value", value.at, `${quote(value.value)} is not a type of a script's column`, {
      hint: near === undefined ? `use one of ${scriptTypeNames.join(", ")}` : `write ${near}`,
    });
    return [];
  });
  return columns.length === schema.length && isUnique(schema, report) ? columns : undefined;
}

/**
 * Columns after schema_override: a type changes a column or adds one, and null leaves it out. `undefined` after a
 * reported error.
 */
export function overriddenColumns(
  input: readonly RowColumn[],
  overrides: readonly Named<string | null>[],
  report: Report,
): readonly RowColumn[] | undefined {
  if (!isUnique(overrides, report)) return undefined;
  const columns = new Map(input.map((column) => [column.name.toLowerCase(), column]));
  let isSound = true;
  for (const { name, value } of overrides) {
    const place = name.value.toLowerCase();
    const known = columns.get(place);
    const type = value.value === null ? undefined : typeNamed(value.value);
    if (type) columns.set(place, { name: known?.name ?? name.value, type, nullable: true });
    else if (value.value !== null) {
      report.error("wrong-value", value.at, `${quote(value.value)} is not a type that a column can have`, {
        hint: "write a type such as text, bigint, numeric(78,0), jsonb or boolean, or null to leave the column out",
      });
      isSound = false;
    } else if (!columns.delete(place)) {
      report.error("unknown-column", name.at, `the rows have no column ${quote(name.value)}`, {
        hint: `they have ${input.map((column) => column.name).join(", ")}`,
      });
      isSound = false;
    }
  }
  return isSound ? [...columns.values()] : undefined;
}

/** Reads a type as scripts or as databases call it; `undefined` for another text. */
function typeNamed(text: string): ValueType | undefined {
  const written = text.trim().toLowerCase();
  if (Object.hasOwn(scriptTypes, written)) return scriptTypes[written];
  const type = overrideType(written);
  return type && valueTypeOf(type);
}

function valueTypeOf({ name, sizes }: OverrideType): ValueType {
  switch (name) {
    case "json":
    case "jsonb":
      return "JSON";
    case "smallint":
    case "integer":
    case "bigint":
      return "LONG";
    case "numeric":
    case "decimal":
      return sizes.length > 0 && (sizes[1] ?? 0) === 0 ? "DECIMAL" : "NUMERIC";
    case "real":
    case "double precision":
      return "DOUBLE";
    case "boolean":
      return "BOOLEAN";
    case "timestamp":
    case "timestamptz":
      return "TIMESTAMP";
    case "text[]":
      return "ARRAY<STRING>";
    default:
      return "STRING";
  }
}

/** Whether no two columns have the same name; reports it otherwise. Names of columns follow SQL, which ignores case. */
export function isUnique(entries: readonly Named<unknown>[], report: Report): boolean {
  const names = entries.map(({ name }) => name.value.toLowerCase());
  const repeated = entries.find((_, index) => names.indexOf(names[index] ?? "") < index);
  if (!repeated) return true;
  report.error("duplicate-key", repeated.name.at, `two columns have the name ${quote(repeated.name.value)}`, {
    hint: "rename one of them; SQL does not distinguish case",
  });
  return false;
}
