/** Maximum length of a signature that is taken apart. Longer ones, which are untrusted, stay as they are. */
const longest = 4_000;

/** A signature without types, and with the names of its parameters where they are known. */
export interface ShownSignature {
  /** `Transfer(from, to, value)`; a parameter without a name has its type. */
  readonly short: string;
  /** `Transfer(address indexed from, address indexed to, uint256 value)` */
  readonly full: string;
}

/**
 * Rewrites a signature for people.
 * @param text as in a manifest: `Transfer(indexed address,indexed address,uint256)`; other texts stay as they are
 * @param names the parameters' names, empty where there is none
 */
export function showSignature(text: string, names: readonly string[]): ShownSignature {
  const [, name = "", list = ""] = text.length > longest ? [] : (/^([^()]+)\((.*)\)$/s.exec(text) ?? []);
  const types = list === "" ? [] : splitTypes(list);
  if (name === "" || !types) return { short: text, full: text };
  const parameters = types.map((type, index) => {
    const isIndexed = type.startsWith("indexed ");
    return { type: isIndexed ? type.slice("indexed ".length) : type, isIndexed, name: names[index] ?? "" };
  });
  const short = parameters.map((one) => one.name || one.type);
  const full = parameters.map((one) =>
    [one.type, ...(one.isIndexed ? ["indexed"] : []), one.name].filter((part) => part !== "").join(" "),
  );
  return { short: `${name}(${short.join(", ")})`, full: `${name}(${full.join(", ")})` };
}

/** Splits a list of types at commas outside parentheses; nothing if parentheses do not match. */
function splitTypes(list: string): readonly string[] | undefined {
  const types = [""];
  let depth = 0;
  for (const character of list) {
    if (character === "(") depth += 1;
    if (character === ")") depth -= 1;
    if (depth < 0) return undefined;
    if (character === "," && depth === 0) types.push("");
    else types[types.length - 1] += character;
  }
  return depth === 0 ? types : undefined;
}
