import { isSlip } from "../base/text/is-slip.js";
import { otherNetworks } from "./further-networks.js";
import { type Network, networks } from "./networks.js";

/** graph-node's names of EVM networks. */
export const chainNames: ReadonlySet<string> = new Set(
  networks.filter(({ chainId }) => chainId !== undefined).map(({ name }) => name),
);

const byChainId: ReadonlyMap<string, Network> = new Map(
  networks.flatMap((network) => (network.chainId === undefined ? [] : [[network.chainId, network]])),
);

/** Networks by all of their names, ignoring case and punctuation; `undefined` for an ambiguous name. */
const byName: ReadonlyMap<string, Network | undefined> = new Map([
  ...unique(networks, ({ titles }) => titles),
  // A network's own name takes precedence over one derived from another's title.
  ...unique(networks, ({ name, aliases }) => [name, ...aliases]),
]);

function unique(
  all: readonly Network[],
  namesOf: (network: Network) => readonly string[],
): ReadonlyMap<string, Network | undefined> {
  const found = new Map<string, Network | undefined>();
  for (const network of all) {
    for (const name of new Set(namesOf(network).map(bare)))
      found.set(name, found.has(name) ? undefined : network);
  }
  return found;
}

/**
 * Finds graph-node's name of a chain by an alias, its full name, its chain id, or its name in a different case.
 * @param written such as `Ethereum Mainnet`, `polygon`, `137`, `eip155:137` or `0x89`
 * @returns `undefined` when it is not an EVM chain, or ambiguous
 */
export function findChain(written: string): string | undefined {
  const [, decimal] = /^(?:eip155:|evm-)?([1-9]\d{0,15})$/i.exec(written) ?? [];
  const number = /^0x[\da-f]{1,12}$/i.test(written) ? String(Number(written)) : decimal;
  const network = number === undefined ? byName.get(bare(written)) : byChainId.get(number);
  return network?.chainId === undefined ? undefined : network.name;
}

/** Whether a name names a network without EVM contracts, such as Solana. */
export function isForeign(written: string): boolean {
  const network = byName.get(bare(written));
  return network !== undefined && network.chainId === undefined;
}

/**
 * The name of the only chain that differs from a written name in one letter. The name of a different network is not a
 * typo, and short words resemble too many names.
 */
export function nearChain(written: string): string | undefined {
  const parts = partsOf(written);
  if (byName.has(bare(written)) || parts.some((part) => otherNetworks.has(part))) return undefined;
  const near = new Set(
    networks
      .filter(({ name, aliases }) => [name, ...aliases].some((known) => isNear(parts, partsOf(known))))
      .map(({ name, chainId }) => (chainId === undefined ? undefined : name)),
  );
  const [only] = near;
  return near.size === 1 ? only : undefined;
}

/** The shortest word in which one letter counts as a typo. */
const shortestWord = 5;

/** Whether one of several words has a typo and the others are equal. */
function isNear(written: readonly string[], known: readonly string[]): boolean {
  if (written.length !== known.length) return false;
  const wrong = written.flatMap((part, index) => {
    const right = known[index] ?? "";
    return part === right ? [] : [[part, right] as const];
  });
  const [pair] = wrong;
  if (!pair || wrong.length > 1) return false;
  const [part, right] = pair;
  return Math.min(part.length, right.length) >= shortestWord && isSlip(part, right);
}

function partsOf(name: string): readonly string[] {
  return name.toLowerCase().split(/[^a-z0-9]+/);
}

function bare(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}
