import type { SubgraphFacts } from "./facts.js";
import type { SchemaChange } from "./schema-change.js";

type Named = Pick<SubgraphFacts<unknown>, "name" | "sources">;

/**
 * Compares the names of the deployed subgraphs, which are part of the query URLs. There is one subgraph per
 * chain, with the chain in its name if there are several.
 */
export function compareNames(before: Named, after: Named): readonly SchemaChange[] {
  const known = before.name ?? after.name ?? "<name>";
  const [old, now] = [namesOf(before, known), namesOf(after, known)];
  const [gone, come] = [left(old, now), left(now, old)];
  const renamed = [...gone].flatMap(([chain, from]): readonly SchemaChange[] => {
    const name = come.get(chain);
    return name === undefined
      ? []
      : [{ kind: "subgraph-renamed", name, from, isCertain: true, isBreaking: true }];
  });
  const rest = (names: ReadonlyMap<string, string>, others: ReadonlyMap<string, string>) =>
    [...names].filter(([chain]) => !others.has(chain)).map(([, name]) => name);
  return [
    ...renamed,
    ...rest(gone, come).map((name): SchemaChange => ({ kind: "subgraph-removed", name, isBreaking: true })),
    ...rest(come, gone).map((name): SchemaChange => ({ kind: "subgraph-added", name, isBreaking: false })),
  ];
}

function namesOf({ name, sources = [] }: Named, known: string): ReadonlyMap<string, string> {
  const contracts = sources.filter(({ kind }) => kind === "contract");
  const chains = [...new Set(contracts.map(({ chain }) => chain))];
  const own = name ?? known;
  return new Map(chains.map((chain) => [chain, chains.length > 1 ? `${own}-${chain}` : own]));
}

/** The names that only one side has. */
function left(
  names: ReadonlyMap<string, string>,
  others: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const taken = new Set(others.values());
  return new Map([...names].filter(([, name]) => !taken.has(name)));
}
