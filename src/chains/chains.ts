import type { Chain } from "./chain.js";
import { finalityOf } from "./finality.js";
import { type Network, networks } from "./networks.js";
import { rootExceptions } from "./root-exceptions.js";
import { blockServiceNames, type FurtherChain, feedNames, furtherChains, prefixes } from "./vocabularies.js";

/** All known public EVM chains. */
export const chains: readonly Chain[] = [
  ...networks.flatMap((network) =>
    network.chainId === undefined ? [] : [ofNetwork(network, network.chainId)],
  ),
  ...furtherChains.map(ofFurther),
];

function ofNetwork({ name, title, isTest, explorer }: Network, chainId: string): Chain {
  const blockService = blockServiceNames.get(name);
  const feed = feedNames.get(name);
  const rootException = rootExceptions.get(name);
  return {
    title,
    chainId,
    isTest,
    prefix: prefixes.get(name) ?? name,
    network: name,
    ...(blockService !== undefined && { blockService }),
    ...(feed !== undefined && { feed }),
    ...(explorer !== undefined && { explorer }),
    finality: finalityOf(name),
    ...(rootException && { rootException }),
  };
}

function ofFurther({ name, title, chainId, names }: FurtherChain): Chain {
  const named = Object.fromEntries(names.map((vocabulary) => [vocabulary, name]));
  return { title, chainId, isTest: false, prefix: name, ...named, finality: finalityOf(name) };
}
