import { snakeCase } from "../../base/text/snake-case.js";

/** PostgreSQL truncates identifiers to this many bytes. */
const longestColumn = 63;

/** Names that have a different meaning in a generated class, a filter or a table. All were tested. */
const misread = new Set([
  // AssemblyScript: not valid as accessor names.
  "async",
  "default",
  "of",
  "constructor",
  "save",
  // AssemblyScript: would shadow the entity's own methods.
  "get",
  "set",
  "unset",
  // graph-node: the filter language.
  "and",
  "or",
  "_change_block",
  // graph-node: a system column that is visible in queries.
  "vid",
]);

/** Columns graph-node adds to every table. */
const systemColumns = new Set(["vid", "block_range", "causality_region"]);

/** Suffixes that graph-node removes from a filter key; a bare `_` filters on a child. */
const filterSuffix =
  /_(?:not|gt|lt|gte|lte|in|not_in|contains|not_contains|starts_with|not_starts_with|ends_with|not_ends_with|(?:not_)?(?:contains|starts_with|ends_with)_nocase|)$/;

/** Why a field cannot have a name, or `undefined` if it can. */
export function fieldNameProblem(name: string): string | undefined {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return "is not a GraphQL name";
  if (name.includes("__")) return 'contains "__", which graph-node uses to sort by a child\'s field';
  if (misread.has(name)) return "has a special meaning in generated code or filters";
  if (snakeCase(name) === "") return "has no letter or digit";
  if (systemColumns.has(snakeCase(name))) return "is a system column of graph-node";
  if (filterSuffix.test(name)) return "ends like a filter operator";
  if (snakeCase(name).length > longestColumn)
    return `is longer than ${longestColumn} characters as a column name`;
  return undefined;
}

/** The closest valid GraphQL name of usable length, to append a suffix to. */
function repaired(name: string): string {
  const legal = name.replace(/[^A-Za-z0-9_]/g, "_").replace(/_{2,}/g, "_");
  const started = /^[A-Za-z_]/.test(legal) ? legal : `_${legal}`;
  return started.slice(0, 40);
}

/** The part of a parameter's name to use in its field's name; `unnamed` if the name has only underscores. */
export function parameterStem(name: string, unnamed: string): string {
  return name.replace(/^_+/, "") || unnamed;
}

/** An allocated name, and why it differs from the wanted one. */
export interface ClaimedName {
  readonly name: string;
  /** Present if the name differs from the wanted one. */
  readonly reason?: string;
}

/** Allocates field names of an entity type that do not clash, not even as database columns. */
export class FieldNames {
  readonly #ownerByColumn = new Map<string, string>();

  /** Reserves a fixed name. */
  reserve(name: string): void {
    this.#ownerByColumn.set(snakeCase(name), name);
  }

  /** Returns the wanted name if it is valid and free, else with the suffix `Param` (`Param2`, …). */
  claim(wanted: string): ClaimedName {
    const reason = fieldNameProblem(wanted) ?? this.#takenBy(wanted);
    if (reason === undefined) {
      this.reserve(wanted);
      return { name: wanted };
    }
    const base = fieldNameProblem(`${wanted}Param`) === undefined ? wanted : repaired(wanted);
    for (let count = 1; ; count++) {
      const name = `${base}Param${count === 1 ? "" : count}`;
      if (fieldNameProblem(name) === undefined && this.#takenBy(name) === undefined) {
        this.reserve(name);
        return { name, reason };
      }
    }
  }

  #takenBy(name: string): string | undefined {
    const owner = this.#ownerByColumn.get(snakeCase(name));
    if (owner === undefined) return undefined;
    return owner === name ? "is already a field" : `would share a column with the field "${owner}"`;
  }
}
