import { quote } from "../../../base/text/quote.js";
import { quoteForeign } from "../../../base/text/quote-foreign.js";
import type { PlannedLookup } from "../../plan/pipeline-plan.js";
import { TransformError } from "../row-transform.js";

/** A type of columns that can be a key. */
export type KeyType = { readonly kind: "text" } | { readonly kind: "integer"; readonly bits: bigint };

/** Where a lookup finds its rows. */
export function namedTable({ definition }: PlannedLookup): {
  /** `undefined` for that of the address. */
  readonly schema: string | undefined;
  readonly table: string;
  /** The column with the block from which on a row counts. */
  readonly from: string | undefined;
} {
  if (definition.type === "file") throw new Error("a file is not a table");
  const { schema, table, valid_from: from } = definition.settings;
  const usual = definition.type === "postgres" ? "public" : undefined;
  return { schema: schema?.value ?? usual, table: table?.value ?? "", from: from?.value };
}

/**
 * The types of the columns of a key.
 * @param existing types of all columns of the table by name
 * @param types types that can be a key, by name
 * @throws TransformError for a table that lacks a column, or whose key has another type than the lookup
 */
export function checkKeyColumns<Type extends KeyType>(
  planned: PlannedLookup,
  existing: ReadonlyMap<string, string>,
  types: Readonly<Record<string, Type>>,
): readonly Type[] {
  const { table, from } = namedTable(planned);
  const refuse = (why: string, remedy: string): TransformError =>
    new TransformError(`Lookup ${planned.name}: ${why}. ${remedy}.`, false);
  if (existing.size === 0)
    throw refuse(
      `there is no table ${quote(table)} that may be read`,
      "Correct table or schema, or grant the right to select",
    );
  const named = [...planned.columns.map(({ name }) => name), ...(from === undefined ? [] : [from])];
  const missing = named.find((name) => !existing.has(name));
  if (missing !== undefined)
    throw refuse(
      `table ${quote(table)} has no column ${quote(missing)}`,
      `Its columns are ${[...existing.keys()].slice(0, 20).map(quoteForeign).join(", ")}`,
    );
  return planned.key.map((name) => {
    const found = existing.get(name) ?? "";
    const type = Object.hasOwn(types, found) ? types[found] : undefined;
    const wanted =
      planned.columns.find((column) => column.name === name)?.type === "STRING" ? "text" : "integer";
    if (type?.kind === wanted) return type;
    const cast =
      type === undefined
        ? "Look up in a view that casts it to a text or an integer"
        : `Write columns: { ${name}: ${type.kind === "text" ? "string" : "uint256"} }`;
    throw refuse(
      `the key ${quote(name)} is of type ${quoteForeign(found)}, and the definition says ${wanted}`,
      cast,
    );
  });
}

/** Keys that columns of these types can have. No row has another one. */
export function keysInRange(
  keys: readonly (readonly string[])[],
  types: readonly KeyType[],
): readonly (readonly string[])[] {
  return keys.filter((key) =>
    types.every((type, index) => {
      const text = key[index] ?? "";
      // PostgreSQL stores no text with this character.
      if (type.kind === "text") return !text.includes("\u0000");
      const value = BigInt(text);
      return value < 2n ** type.bits && value >= -(2n ** type.bits);
    }),
  );
}
