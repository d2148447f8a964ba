import type { SqlText } from "./database.js";

const escaped = /["\\]/g;

/** A list in the database's text form, for a parameter that is an array. */
export function arrayText(items: readonly SqlText[]): string {
  let text = "{";
  for (const [index, item] of items.entries()) {
    if (index > 0) text += ",";
    text += item === null ? "NULL" : `"${escapedItem(item)}"`;
  }
  return `${text}}`;
}

/** Few items need it, and searching for the two characters takes a third of the time of a futile replacement. */
function escapedItem(item: string): string {
  return item.includes('"') || item.includes("\\") ? item.replace(escaped, "\\$&") : item;
}

/** Does the same for items that need no quotes, such as numbers. */
export function plainArrayText(items: readonly (SqlText | number | bigint)[]): string {
  return `{${items.map((item) => item ?? "NULL").join(",")}}`;
}

const nextSpecial = /["\\]/g;

/** The items of a one-dimensional list in the database's text form. */
export function parseArray(text: string): SqlText[] {
  const items: SqlText[] = [];
  let at = 1;
  while (at < text.length - 1) {
    if (text[at] === '"') {
      const { value, end } = quotedItem(text, at + 1);
      items.push(value);
      at = end + 1;
    } else {
      const comma = text.indexOf(",", at);
      const end = comma < 0 ? text.length - 1 : comma;
      const item = text.slice(at, end);
      items.push(item === "NULL" ? null : item);
      at = end + 1;
    }
  }
  return items;
}

/** @param start behind the opening quote; the end given back is behind the closing one */
function quotedItem(text: string, start: number): { readonly value: string; readonly end: number } {
  let value = "";
  for (let at = start; ; ) {
    nextSpecial.lastIndex = at;
    const special = nextSpecial.exec(text)?.index ?? text.length;
    value += text.slice(at, special);
    if (text[special] !== "\\") return { value, end: special + 1 };
    value += text[special + 1] ?? "";
    at = special + 2;
  }
}
