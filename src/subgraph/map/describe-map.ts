import type { MapGroup, SubgraphMap } from "./subgraph-map.js";

/** Maximum numbers of groups, and of triggers per group, to describe: nobody would listen to more. */
const mostGroups = 30;
const mostTriggers = 40;

/** Describes a map in words, for people who cannot see it. */
export function describeMap({ groups, entities }: SubgraphMap): string {
  const contracts = groups.flatMap((group) => group.contracts).length;
  const triggers = groups.flatMap((group) => group.triggers).length;
  const counts = `Contracts: ${contracts}. Events and calls: ${triggers}. Entity types: ${entities.length}.`;
  const more = groups.length > mostGroups ? [`And ${groups.length - mostGroups} more.`] : [];
  return [counts, ...groups.slice(0, mostGroups).map(describeGroup), ...more].join("\n");
}

function describeGroup({ contracts, triggers, entities }: MapGroup): string {
  const told = triggers.slice(0, mostTriggers).map(({ kind, text, entities: stored, creates }) => {
    const storing = stored.length === 0 ? "" : ` stores ${listed(stored)}`;
    const creating = creates.length === 0 ? "" : ` creates ${listed(creates)}`;
    return `${kind} ${text}${[storing, creating].filter(Boolean).join(" and")}`;
  });
  if (triggers.length > mostTriggers) told.push(`${triggers.length - mostTriggers} more`);
  const together = entities.length === 0 ? "" : ` They store ${listed(entities)}.`;
  return `${listed(contracts.map(({ name }) => name))}: ${told.join("; ")}.${together}`;
}

function listed(names: readonly string[]): string {
  const few = names.slice(0, mostTriggers).join(", ");
  return names.length > mostTriggers ? `${few} and ${names.length - mostTriggers} more` : few;
}
