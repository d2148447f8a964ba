import { pluralOf } from "./plural.js";

/** The root query fields graph-node derives from an entity type's name. */
export interface QueryNames {
  readonly singular: string;
  readonly plural: string;
}

/** `Transfer` is queried as `transfer` and `transfers`; if both would be equal, the list is named `…_collection`. */
export function queryNames(typeName: string): QueryNames {
  const singular = queryCamelCase(typeName);
  const plural = queryCamelCase(pluralOf(typeName));
  return { singular, plural: plural === singular ? `${plural}_collection` : plural };
}

/** graph-node's camelCase: capitals that follow capitals become lower case (`NFTMinted` is `nftminted`). */
export function queryCamelCase(name: string): string {
  let out = "";
  let newWord = false;
  let last = " ";
  for (const character of name.replace(/[^A-Za-z0-9]+$/, "")) {
    if (!/[A-Za-z0-9]/.test(character)) {
      newWord = out !== "";
    } else if (/[0-9]/.test(character)) {
      out += character;
      newWord = true;
    } else if (newWord || (/[a-z]/.test(last) && /[A-Z]/.test(character))) {
      out += character.toUpperCase();
      newWord = false;
    } else {
      out += character.toLowerCase();
      last = character;
    }
  }
  return out;
}
