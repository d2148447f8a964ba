import { visible } from "../../base/visible.js";
import type { FoundProjects } from "../../discovery/find-projects.js";
import type { FoundContract } from "../../discovery/found.js";
import { count } from "../terminal/count.js";

/** The introduction: what the program does, and what it found in the folder. */
export function introduce({ configs, contracts, deployments }: FoundProjects): string {
  const lines = [
    "graphloom builds a subgraph from one file. Answer a few questions to write it; Ctrl-C leaves nothing behind.",
    ...configs.map(({ path }) => `Found the configuration ${visible(path)}.`),
    ...toolsOf(contracts).map(([tool, own]) =>
      tool === "an ABI" ? `Found ABIs: ${namesOf(own)}.` : `Found contracts from ${tool}: ${namesOf(own)}.`,
    ),
    ...(deployments.length > 0 ? [`Found records of ${count(deployments.length, "deployment")}.`] : []),
  ];
  if (lines.length === 1)
    lines.push(
      "This folder has no configuration, and no contracts built with Foundry or Hardhat.",
      "To see a working subgraph first: graphloom dev --demo",
    );
  return `${lines.join("\n")}\n\n`;
}

function toolsOf(
  contracts: readonly FoundContract[],
): readonly (readonly [string, readonly FoundContract[]])[] {
  const tools = [...new Set(contracts.map(({ tool }) => tool))];
  return tools.map((tool) => [tool, contracts.filter((one) => one.tool === tool)]);
}

function namesOf(contracts: readonly FoundContract[]): string {
  const names = [...new Set(contracts.map(({ name }) => name))];
  const left = names.length - 6;
  return names.slice(0, 6).join(", ") + (left > 0 ? ` and ${left} more` : "");
}
