import { wayToRun } from "../diagnostics/way-to-run.js";
import { type Member, member, type TreeNode } from "../source/tree.js";
import { childOf, itemsOf, optionalString } from "./tree-access.js";
import type { Violation } from "./violation.js";

/** The violation when the document is a subgraph's manifest rather than a configuration. */
export function givenManifest(config: TreeNode): Violation | undefined {
  const [version, sources] = [member(config, "specVersion"), member(config, "dataSources")];
  if (!version || !sources || member(config, "abis") || member(config, "instances")) return undefined;
  return {
    code: "manifest-given",
    at: version.key.at,
    message: "this is the manifest of a subgraph, not a configuration",
    details: {
      label: "only manifests have this setting",
      notes: [
        "graphloom compiles a configuration to a manifest; graph build writes one, too",
        `to make a configuration for its first contract: ${initCommand(sources)}`,
      ],
      hint: wayToRun(version.key.at.source.path, networkOf(sources)),
    },
  };
}

function networkOf({ value }: Member): string {
  return plain(optionalString(itemsOf(value)[0], "network")?.value, "<chain>");
}

/**
 * The command that makes a configuration from the manifest's first contract, with placeholders for what the
 * manifest lacks.
 */
function initCommand({ value }: Member): string {
  const [first] = itemsOf(value);
  const source = childOf(first, "source");
  const name = optionalString(source, "abi")?.value;
  const abis = itemsOf(childOf(childOf(first, "mapping"), "abis"));
  const abi = abis.find((one) => optionalString(one, "name")?.value === name);
  const file = plain(optionalString(abi, "file")?.value, "<file>");
  const address = plain(optionalString(source, "address")?.value, "<address>");
  const network = plain(optionalString(first, "network")?.value, "<chain>");
  const block = childOf(source, "startBlock");
  const start = block?.kind === "number" && Number.isSafeInteger(block.value) ? block.value : "<block>";
  return `graphloom subgraph init <name> --abi ${file} --contract ${address} --network ${network} --start-block ${start}`;
}

/** A string that needs no quotes in a shell, or else a placeholder. */
function plain(text: string | undefined, otherwise: string): string {
  return text !== undefined && /^[\w./-]+$/.test(text) ? text : otherwise;
}
