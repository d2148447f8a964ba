import type { Chain } from "../../chains/chain.js";
import { catalogOf, groups } from "../../datasets/catalog/catalog.js";
import { findGroup } from "../../datasets/catalog/find-dataset.js";
import { listing, tableWidth } from "../subgraph/listing.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { knownOnly } from "./known-only.js";
import { printDocument } from "./print-document.js";

export interface DatasetListArguments {
  readonly output: "json" | "table" | "yaml";
  readonly group?: string | undefined;
}

/**
 * Lists the datasets of a group, or of all. A table in a terminal asks for the group; returns the exit code.
 * @throws UsageError for an unknown group
 */
export async function listDatasets(
  { output, group }: DatasetListArguments,
  terminal: Terminal,
): Promise<number> {
  const isAsking = group === undefined && output === "table" && terminal.outColor === true;
  const listed =
    group === undefined
      ? await chosen(isAsking ? terminal.prompts : undefined)
      : [knownOnly(() => findGroup(group))];
  const entries = listed.flatMap(catalogOf).map(({ name, version, group, dataset: { description } }) => ({
    name,
    version,
    group,
    description,
  }));
  if (output !== "table") await printDocument(entries, output, terminal);
  else
    terminal.out(
      listing(
        [
          { title: "NAME", cell: ({ name }) => name },
          { title: "VERSION", cell: ({ version }) => version },
          { title: "GROUP", cell: ({ group }) => group },
          { title: "DESCRIPTION", cell: ({ description }) => description, mayShrink: true },
        ],
        entries,
        tableWidth(terminal),
      ),
    );
  return exitCodes.clean;
}

const all = "all";

async function chosen(prompts: Terminal["prompts"]): Promise<readonly Chain[]> {
  if (!prompts) return groups;
  // Few people look for a test network first.
  const ordered = [...groups.filter(({ isTest }) => !isTest), ...groups.filter(({ isTest }) => isTest)];
  const width = Math.max(...ordered.map(({ prefix }) => prefix.length));
  const answer = await prompts.choose("Datasets of which chain?", [
    { value: all, label: "all chains" },
    ...ordered.map(({ prefix, title, chainId }) => ({
      value: prefix,
      label: `${prefix.padEnd(width)}  ${title}`,
      hint: `chain ${chainId}`,
    })),
  ]);
  return answer === all ? groups : groups.filter(({ prefix }) => prefix === answer);
}
