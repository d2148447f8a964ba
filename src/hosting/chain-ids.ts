import type { Engine } from "./engine.js";

/** The source of chain ids. */
interface Asked {
  readonly engines: readonly Pick<Engine, "nodes">[];
}

/** The chain ids by network name, for networks whose nodes were reached. */
export async function chainIds({ engines }: Asked): Promise<ReadonlyMap<string, number>> {
  const read = await Promise.all(engines.map((engine) => engine.nodes?.() ?? []));
  return new Map(
    read
      .flat()
      .flatMap(({ network, chainId }) => (chainId === undefined ? [] : [[network, Number(chainId)]])),
  );
}

/** The network that a string names, by name or chain id. */
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
