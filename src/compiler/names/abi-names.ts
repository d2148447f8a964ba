/** Names derived from an ABI's free-text name, safe in code, in manifests and on every file system. */
export interface AbiNames {
  /** Class, manifest name and file stem: `UniswapV3Pool`. */
  readonly className: string;
  /** Stem of its mapping file: `uniswap-v3-pool`. */
  readonly fileStem: string;
}

/** Length limit that leaves room for a suffix on every file system. */
const longestName = 80;

/**
 * Class names that the generated binding imports, and file stems that are taken or that are device names on
 * Windows.
 */
const takenClasses = new Set([
  "bytes",
  "bigint",
  "address",
  "entity",
  "typedmap",
  "jsonvalue",
  "ethereum",
  "datasourcetemplate",
  "datasourcecontext",
  "templates",
]);
const takenStems = /^(?:mapping|con|prn|aux|nul|com\d|lpt\d)$/;

/**
 * Names all ABIs of a project at once.
 * @param abis for each ABI, the class names already taken, such as its events'
 * @returns by ABI name; independent of the order of `abis`
 */
export function nameClasses(
  abis: readonly { readonly name: string; readonly avoid: ReadonlySet<string> }[],
): ReadonlyMap<string, AbiNames> {
  const taken = new Set<string>();
  const names = new Map<string, AbiNames>();
  for (const { name, avoid } of abis.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const wanted = pascalCase(name);
    let className = wanted;
    for (let count = 1; isTaken(className, avoid, taken); count++) {
      className = `${wanted}Abi${count === 1 ? "" : count}`;
    }
    taken.add(className.toLowerCase());
    names.set(name, { className, fileStem: kebabCase(className) });
  }
  return names;
}

function isTaken(className: string, avoid: ReadonlySet<string>, taken: ReadonlySet<string>): boolean {
  const lower = className.toLowerCase();
  return taken.has(lower) || takenClasses.has(lower) || takenStems.test(lower) || avoid.has(className);
}

/** `my erc-20` becomes `MyErc20`; capitals stay. A leading digit gets the prefix `Abi`. */
function pascalCase(name: string): string {
  const joined = name
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== "")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
  return (/^[A-Za-z]/.test(joined) ? joined : `Abi${joined}`).slice(0, longestName);
}

function kebabCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1-$2")
    .toLowerCase();
}
