import type { Engine } from "./engine.js";

/** Whose nodes may know. */
interface Asked {
  readonly engines: readonly Pick<Engine, "nodes">[];
}

/** The ids of chains by the names of their networks, as far as their nodes were reached. */
export async function chainIds({ engines }: Asked): Promise<ReadonlyMap<string, number>> {
  const read = await Promise.all(engines.map((engine) => engine.nodes?.() ?? []));
  return new Map(
    read
      .flat()
      .flatMap(({ network, chainId }) => (chainId === undefined ? [] : [[network, Number(chainId)]])),
  );
}

/** The network that a text stands for: its name, or the id of its chain. */
export async function networkNamed(
  text: string,
  hosting: Asked,
  networks: ReadonlyMap<string, unknown>,
): Promise<string | undefined> {
  if (networks.has(text)) return text;
  if (!/^[1-9][0-9]{0,15}$/.test(text)) return undefined;
  const ids = await chainIds(hosting);
  return [...networks.keys()].find((network) => ids.get(network) === Number(text));
}
