import { Report } from "../compiler/diagnostics/report.js";
import { isYaml, parseDocument } from "../compiler/parse/parse-document.js";
import { parseYaml } from "../compiler/parse/parse-yaml.js";
import type { Source } from "../compiler/source/source.js";
import { member, type TreeNode } from "../compiler/source/tree.js";
import { type DraftContract, draftInstance } from "./draft-config.js";

/**
 * Adds a contract to a JSON configuration, after the others; comments and formatting stay. Adds its ABI
 * unless the configuration already has one with the same path.
 * @returns the new text; `undefined` for a configuration that is in YAML or has no list of ABIs or instances
 * to add to
 */
export function addContract(source: Source, contract: DraftContract): string | undefined {
  if (isYaml(source)) return undefined;
  const tree = parseDocument(source, new Report(), parseYaml);
  const abis = tree && member(tree, "abis")?.value;
  const instances = tree && member(tree, "instances")?.value;
  const lastAbi = abis?.kind === "object" ? abis.members.at(-1) : undefined;
  const lastInstance = instances?.kind === "array" ? instances.items.at(-1) : undefined;
  if (!abis || !lastAbi || !lastInstance) return undefined;
  const known = abiWithPath(abis, contract.abiPath);
  const abi = known ?? freeKey(abis, contract.abi);
  const inserted = [
    {
      from: lastInstance.at.start,
      at: lastInstance.at.end,
      text: toJson(draftInstance({ ...contract, abi })),
    },
    ...(known === undefined
      ? [
          {
            from: lastAbi.key.at.start,
            at: lastAbi.value.at.end,
            text: `${JSON.stringify(abi)}: ${JSON.stringify({ path: contract.abiPath })}`,
          },
        ]
      : []),
  ];
  return inserted
    .toSorted((a, b) => b.at - a.at)
    .reduce(
      (text, { from, at, text: added }) => text.slice(0, at) + behind(added, text, from) + text.slice(at),
      source.text,
    );
}

/**
 * A member or item, formatted to follow a neighbour that begins at an offset: on separate lines if the
 * neighbour is.
 */
function behind(added: string, text: string, neighbour: number): string {
  const before = text.slice(text.lastIndexOf("\n", neighbour - 1) + 1, neighbour);
  if (before.trim() !== "") return `, ${added.replace(/\n */g, " ")}`;
  const line = text.includes("\r\n") ? "\r\n" : "\n";
  return `,${line}${before}${added.replaceAll("\n", line + before)}`;
}

function toJson(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

/** The key of the ABI with a path. */
function abiWithPath(abis: TreeNode, path: string): string | undefined {
  if (abis.kind !== "object") return undefined;
  return abis.members.find(({ value }) => {
    const known = member(value, "path")?.value;
    return known?.kind === "string" && known.value === path;
  })?.key.value;
}

/** A key that no ABI has, ignoring case. */
function freeKey(abis: TreeNode, wanted: string): string {
  const taken = new Set(abis.kind === "object" ? abis.members.map(({ key }) => key.value.toLowerCase()) : []);
  for (let number = 1; ; number++) {
    const key = number === 1 ? wanted : `${wanted}${number}`;
    if (!taken.has(key.toLowerCase())) return key;
  }
}
