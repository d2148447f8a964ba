/** A predicate that says what the content is instead of an ABI (`is a web page (HTML)`), and a hint. */
export interface NoAbi {
  readonly what: string;
  readonly hint: string;
}

export const wanted = 'give an ABI array, or a build artifact with one under "abi"';

/** Takes only a quick look at an array; parsing the ABI validates its entries. */
export function refuseArray(entries: readonly unknown[]): NoAbi | undefined {
  if (entries.length === 0 || entries.some((entry) => typeof entry === "object" && entry !== null))
    return undefined;
  if (entries.every((entry) => typeof entry === "string")) {
    return {
      what: "is a human-readable ABI",
      hint: "give the ABI as JSON: graphloom init --abi <file> converts it",
    };
  }
  return { what: "contains a list that is not an ABI", hint: wanted };
}

/** Judges the result in an explorer's response. For an unknown contract, it is a sentence. */
export function refuseAnswer(text: string, path: readonly string[]): NoAbi | undefined {
  if (path[0] !== "result" || /^\s*[[{]/.test(text)) return undefined;
  const said = text.trim().slice(0, 80) || "nothing";
  return {
    what: `is an explorer's response without an ABI: ${JSON.stringify(said)}`,
    hint: "fetch the ABI of a verified contract",
  };
}

/** Recognizes non-JSON texts that users save by mistake. */
export function refuseText(text: string): NoAbi | undefined {
  const start = text.trimStart().slice(0, 200);
  if (/^<(!doctype html|html|head|body)/i.test(start)) {
    return {
      what: "is a web page (HTML)",
      hint: "save the ABI itself, not the page that displays it",
    };
  }
  if (start.startsWith("<")) return { what: "is XML or HTML", hint: wanted };
  if (start.startsWith("version https://git-lfs")) {
    return { what: "is a Git LFS pointer", hint: 'run "git lfs pull" to fetch the file' };
  }
  if (/^(event|function|constructor|error|struct|interface|contract|pragma|\/\/ SPDX)\b/.test(start)) {
    return {
      what: "is Solidity, not an ABI",
      hint: "give the JSON ABI that the Solidity compiler writes",
    };
  }
  return undefined;
}

/** Paths of the ABIs in the output of `solc --combined-json` and `solc --standard-json`. */
export function contractPaths(value: unknown): readonly (readonly string[])[] {
  return keysOf(property(value, "contracts")).flatMap((file) => {
    const path = ["contracts", file];
    const found = path.reduce<unknown>(property, value);
    if (property(found, "abi") !== undefined) return [[...path, "abi"]];
    return keysOf(found)
      .map((contract) => [...path, contract, "abi"])
      .filter((inner) => inner.reduce<unknown>(property, value) !== undefined);
  });
}

function keysOf(value: unknown): readonly string[] {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? Object.keys(value) : [];
}

export function refuseValue(value: unknown): NoAbi {
  const contracts = contractPaths(value).map((path) => path.at(-2) ?? "");
  if (contracts.length > 1) {
    const some = contracts.slice(0, 3).map((name) => name.slice(0, 60));
    return {
      what: `has the ABIs of ${contracts.length} contracts, such as ${some.join(", ")}`,
      hint: "save the ABI of one contract in a file of its own",
    };
  }
  // Hardhat writes other files beside its artifacts that resemble them.
  const format = property(value, "_format");
  const isHardhats = typeof format === "string" && /^hh-sol-(dbg|build-info)/.test(format);
  const hint = isHardhats
    ? "use the contract's artifact, such as artifacts/contracts/Vault.sol/Vault.json"
    : wanted;
  return { what: `contains ${describe(value)}, not an ABI`, hint };
}

/** The value of a key, if the key exists. */
export function property(value: unknown, key: string): unknown {
  const isObject = typeof value === "object" && value !== null && Object.hasOwn(value, key);
  return isObject ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
}

function describe(value: unknown): string {
  if (value === null) return "null";
  if (typeof value !== "object") return `a ${typeof value}`;
  const key = Object.keys(value)[0];
  return key === undefined ? "an empty object" : `an object with the key ${JSON.stringify(key.slice(0, 30))}`;
}
