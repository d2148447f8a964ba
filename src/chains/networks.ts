import { deployedAs, formerNetworks, furtherNames, newerNetworks } from "./further-networks.js";
import { registry } from "./registry.js";

/** A public network. */
export interface Network {
  /** graph-node's name. */
  readonly name: string;
  /** Its full name. */
  readonly title: string;
  readonly isTest: boolean;
  /** Chain id of an EVM chain in decimal digits; absent for others, which graphloom does not support. */
  readonly chainId?: string;
  /** Other names in the registry and in services. */
  readonly aliases: readonly string[];
  /** Names derived from its full name, less specific than an alias. */
  readonly titles: readonly string[];
  /** The address of its explorer, without a slash at the end; absent if unknown. */
  readonly explorer?: string;
}

/** All known networks. */
export const networks: readonly Network[] = (registry + newerNetworks + formerNetworks)
  .split("\n")
  .filter((line) => line !== "")
  .map(networkOf);

function networkOf(line: string): Network {
  const [id = "", caip2 = "", kind, short = "", full = "", second = "", others = "", explorer = ""] =
    line.split("|");
  const [, chainId] = /^eip155:(\d+)$/.exec(caip2) ?? [];
  const name = deployedAs.get(id) ?? id;
  const aliases = [id, ...words(others), ...words(furtherNames.get(id) ?? "")];
  const isMain = kind === "main";
  const mains = isMain ? [short, ...[short, ...aliases].map((alias) => `${alias} mainnet`)] : [];
  // "OP Sepolia Testnet" of Optimism is also named "Optimism Sepolia Testnet".
  const renamed = `${short} ${full.split(" ").slice(short.split(" ").length).join(" ")}`;
  const whole = [full, renamed].flatMap((title) => [title, title.replace(/ (Mainnet|Testnet|Network)$/, "")]);
  // A test network may be named by its own name alone, except for words that many networks share.
  const isOwn = second !== "" && !/^(C-Chain|Alpha|Testnet|Era)$/.test(second);
  const own = isOwn ? [second, `${short} ${second}`] : [];
  // A name without suffix is the main network's, even if that is not known.
  const titles = [...whole, ...own, ...mains].filter((title) => isMain || title !== short);
  return {
    name,
    title: full,
    isTest: !isMain,
    aliases,
    titles,
    ...(chainId !== undefined && { chainId }),
    ...(explorer !== "" && { explorer }),
  };
}

function words(text: string): string[] {
  return text.split(" ").filter((word) => word !== "");
}
