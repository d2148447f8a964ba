import { deployedAs, formerNetworks, furtherNames } from "./further-networks.js";
import { registry } from "./registry.js";

/** A public network. */
export interface Network {
  /** What graph-node calls it. */
  readonly name: string;
  /** The number of an EVM chain in decimal digits; others have none, and no subgraph of ours is on them. */
  readonly chainId?: string;
  /** What else the registry and the services call it. */
  readonly aliases: readonly string[];
  /** What it is called where names are made of its full name, less certainly its own than an alias. */
  readonly titles: readonly string[];
}

/** Every network that is known. */
export const networks: readonly Network[] = (registry + formerNetworks)
  .split("\n")
  .filter((line) => line !== "")
  .map(networkOf);

function networkOf(line: string): Network {
  const [id = "", caip2 = "", kind, short = "", full = "", second = "", others = ""] = line.split("|");
  const [, chainId] = /^eip155:(\d+)$/.exec(caip2) ?? [];
  const name = deployedAs.get(id) ?? id;
  const aliases = [id, ...words(others), ...words(furtherNames.get(id) ?? "")];
  const isMain = kind === "main";
  const mains = isMain ? [short, ...[short, ...aliases].map((alias) => `${alias} mainnet`)] : [];
  // "OP Sepolia Testnet" of Optimism is also called "Optimism Sepolia Testnet".
  const renamed = `${short} ${full.split(" ").slice(short.split(" ").length).join(" ")}`;
  const whole = [full, renamed].flatMap((title) => [title, title.replace(/ (Mainnet|Testnet|Network)$/, "")]);
  // A test network may be called by its own name alone; the registry also has words there that many share.
  const isOwn = second !== "" && !/^(C-Chain|Alpha|Testnet|Era)$/.test(second);
  const own = isOwn ? [second, `${short} ${second}`] : [];
  // The name alone is the main network's, also where that is not known.
  const titles = [...whole, ...own, ...mains].filter((title) => isMain || title !== short);
  return { name, aliases, titles, ...(chainId !== undefined && { chainId }) };
}

function words(text: string): string[] {
  return text.split(" ").filter((word) => word !== "");
}
