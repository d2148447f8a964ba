import { groupBy } from "../../base/group-by.js";
import { type Diagram, type DiagramEdge, type DiagramGroup, isFirstPart } from "./diagram.js";

/** The most groups, and handlers per group, to describe: no one would listen to more. */
const mostGroups = 30;
const mostHandlers = 40;

/** Describes the boxes and lines of a map in words, for people who cannot see it. */
export function describeDiagram({ groups, entities, edges }: Diagram): string {
  const contracts = groups.filter(isFirstPart).flatMap((group) => group.contracts);
  const handlers = groups.flatMap((group) => group.handlers).length;
  const listening = contracts.reduce((sum, { names }) => sum + names.length, 0);
  const counts = `Contracts: ${listening}. Events and calls: ${handlers}. Entity types: ${entities.length}.`;
  const linesFrom = groupBy(edges, ({ from }) => from);
  const nameOf = new Map([
    ...entities.map(({ key, name }) => [key, name] as const),
    ...groups.flatMap((group) => group.contracts.map(({ key, name }) => [key, name] as const)),
  ]);
  const targets = (from: string, kind: DiagramEdge["kind"]): readonly string[] => {
    const lines = (linesFrom.get(from) ?? []).filter((edge) => edge.kind === kind);
    return unique(lines.flatMap(({ to }) => nameOf.get(to) ?? []));
  };
  const more = groups.length > mostGroups ? [`And ${groups.length - mostGroups} more.`] : [];
  const told = groups.slice(0, mostGroups).map((group) => describeGroup(group, targets));
  return [counts, ...told, ...more].join("\n");
}

function describeGroup(
  { key, contracts, handlers }: DiagramGroup,
  targets: (from: string, kind: DiagramEdge["kind"]) => readonly string[],
): string {
  const told = handlers.slice(0, mostHandlers).map(({ key: handler, kind, signature, calls }) => {
    const [stored, created] = [targets(handler, "stores"), targets(handler, "creates")];
    const acts = [
      ...(stored.length === 0 ? [] : [`stores ${listed(stored)}`]),
      ...(created.length === 0 ? [] : [`creates ${listed(created)}`]),
      ...(calls.length === 0 ? [] : [`reads ${listed(calls)}`]),
    ];
    return [`${kind} ${signature.short}`, acts.join(" and ")].filter((part) => part !== "").join(" ");
  });
  if (handlers.length > mostHandlers) told.push(`${handlers.length - mostHandlers} more`);
  const together = [key, ...(handlers.length === 0 ? contracts.map((one) => one.key) : [])];
  const stored = unique(together.flatMap((from) => targets(from, "stores")));
  const storing = stored.length === 0 ? "" : ` They store ${listed(stored)}.`;
  return `${listed(contracts.map(({ name }) => name))}: ${told.join("; ")}.${storing}`;
}

function listed(names: readonly string[]): string {
  const few = names.slice(0, mostHandlers).join(", ");
  return names.length > mostHandlers ? `${few} and ${names.length - mostHandlers} more` : few;
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}
