import { Report } from "../diagnostics/report.js";
import { parseJsonSource } from "../parse/parse-json-source.js";
import type { Location } from "../source/source.js";
import { nodeAt, type TreeNode, type TreePath } from "../source/tree.js";
import type { NamedAbi } from "./name-abis.js";
import type { OptionSource } from "./option-source.js";

/** The option for each setting of an instance. */
const optionOf: Readonly<Record<string, string>> = {
  abi: "abi",
  address: "contract",
  chain: "network",
  startBlock: "start-block",
};

/**
 * Traces a location in a generated configuration to its option.
 * @param text text of the configuration
 * @param isNamed whether an option named the ABIs
 */
export function configHome(
  text: string,
  abis: readonly NamedAbi[],
  isNamed: boolean,
  options: OptionSource,
): (at: Location) => Location {
  let tree: TreeNode | undefined;
  return (at) => {
    tree ??= parseJsonSource({ path: "", text }, "json", new Report());
    const path = pointerPath(at.pointer);
    const [list, which, setting = ""] = path;
    if (list === "instances" && typeof which === "number")
      return placeWithin(
        options.place(optionOf[setting] ?? "contract", which),
        at,
        tree && nodeAt(tree, path),
      );
    const abi = abis.find(({ name }) => list === "abis" && name === String(which));
    const contract = abi?.contracts[0] ?? 0;
    return options.place(isNamed && setting === "" ? "contract-name" : "abi", contract);
  };
}

/** The keys and positions in a JSON pointer. */
export function pointerPath(pointer: string): TreePath {
  return pointer
    .split("/")
    .slice(1)
    .map((step) =>
      /^(?:0|[1-9]\d*)$/.test(step) ? Number(step) : step.replaceAll("~1", "/").replaceAll("~0", "~"),
    );
}

/**
 * The part of an option's entry from which a part of the generated string comes; the whole entry if that is
 * ambiguous.
 */
function placeWithin(entry: Location, at: Location, value: TreeNode | undefined): Location {
  const written = entry.source.text.slice(entry.start, entry.end);
  const isPlain = value?.kind === "string" && value.at.end - value.at.start === written.length + 2;
  const isPart = value && at.start > value.at.start && at.end < value.at.end;
  if (!isPlain || !isPart) return entry;
  const shift = entry.start - value.at.start - 1;
  return { ...entry, start: at.start + shift, end: at.end + shift };
}
