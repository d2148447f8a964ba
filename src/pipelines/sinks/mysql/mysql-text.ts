import { SQL, type SqlFragment, uncheckedSql } from "../../../store/database/database.js";
import type { TargetTable } from "../tables/target-table.js";

/** Quotes a name for MySQL. */
export function quoteMysqlName(name: string): SqlFragment {
  return uncheckedSql(`\`${name.replaceAll("`", "``")}\``);
}

/** The table's qualified name as SQL. */
export function tableName({ schema, name }: TargetTable): SqlFragment {
  return SQL`${quoteMysqlName(schema)}.${quoteMysqlName(name)}`;
}

/** Quotes a string for a session in which a backslash escapes. */
export function quoteMysqlText(text: string): SqlFragment {
  return uncheckedSql(needsEscape.test(text) ? `'${text.replace(escaped, escapeOf)}'` : `'${text}'`);
}

/**
 * A number or boolean as SQL.
 * @throws RangeError for infinity and NaN
 */
export function plainMysql(value: bigint | number | boolean): SqlFragment {
  if (typeof value !== "number") return uncheckedSql(String(value));
  if (!Number.isFinite(value)) throw new RangeError(`MySQL has no ${value}`);
  const text = String(value);
  // Without an exponent, it would be a decimal number, which is cut to 65 digits.
  return uncheckedSql(text.includes("e") ? text : `${text}e0`);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: NUL and Ctrl-Z end some texts for the server.
const needsEscape = /['\\\u0000\u001a]/;
const escaped = new RegExp(needsEscape, "g");

function escapeOf(character: string): string {
  if (character === "\0") return "\\0";
  return character === "\u001a" ? "\\Z" : `\\${character}`;
}
