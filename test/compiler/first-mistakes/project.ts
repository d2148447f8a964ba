import { event, fn } from "../abi/entries.js";

/** The files that every project of these tests has beside its configuration. */
export const abis = {
  "abis/Factory.json": [
    event("PoolCreated", "indexed address token0", "indexed address token1", "uint24 fee", "address pool"),
    event("OwnerChanged", "indexed address oldOwner", "indexed address newOwner"),
    fn("owner", "view", [], ["address"]),
  ],
  "abis/Pool.json": [
    event("Swap", "indexed address sender", "indexed address recipient", "int256 amount0", "int256 amount1"),
    event("Mint", "address sender", "uint128 amount"),
    event("Burn", "indexed address owner", "uint128 amount", "uint256 kept"),
    fn("slot0", "view", [], ["uint160 sqrtPriceX96", "int24 tick", "bool unlocked"]),
    fn("getReserves", "view", [], ["uint112", "uint112", "uint32"]),
    fn("token0", "view", [], ["address"]),
    fn("liquidity", "view", [], ["uint128"]),
    fn("symbol", "view", [], ["string"]),
    fn("balanceOf", "view", ["address account"], ["uint256"]),
    fn("quote", "view", ["address token", "uint256 amount"], ["uint256"]),
    fn("collect", "nonpayable", ["address recipient", "uint128 amount"], ["uint256"]),
  ],
  "abis/ERC20.json": [
    event("Transfer", "indexed address from", "indexed address to", "uint256 value"),
    fn("decimals", "view", [], ["uint8"]),
    fn("symbol", "view", [], ["string"]),
    fn("balanceOf", "view", ["address account"], ["uint256"]),
  ],
} as const;

/** A part of a configuration. */
export type Part = Readonly<Record<string, unknown>>;

/** One change of a configuration's text: the old passage and its replacement. */
export type Change = readonly [from: string, to: string];

/** A configuration with one mistake, and its author's reaction to the printed text. */
export interface Mistake {
  readonly name: string;
  readonly config: Part | string;
  /** The changes of the text, each old passage occurring once. Without any, the offered fixes are applied. */
  readonly next: readonly Change[] | "fix";
  /** The codes of the remaining warnings and notes, if the author may accept them. */
  readonly leaves?: readonly string[];
}

export const address = "0x1f98431c8ad98523631ae4a59f267346ea31f984";

/** The configuration of one pool, with parts of it and of its only instance replaced. `undefined` omits a part. */
export function pool(instance: Part = {}, top: Part = {}): Part {
  const own = { abi: "Pool", address, startBlock: 12369621, chain: "mainnet", ...instance };
  return { version: "1", name: "pools/1.0.0", abis: files("Pool"), instances: [own], ...top };
}

/** Declares ABIs by their files. */
export function files(...names: readonly string[]): Part {
  return Object.fromEntries(names.map((name) => [name, { path: `./abis/${name}.json` }]));
}

/** The same with a handler of swaps. */
export function onSwap(handler: Part, top: Part = {}): Part {
  return pool({ enrich: { handlers: { Swap: handler } } }, top);
}

/** The same whose handler makes calls and stores a note. */
export function noting(note: unknown, calls?: unknown): Part {
  return onSwap({ ...(calls !== undefined && { calls }), entities: { Note: note } });
}

/** A factory, and a template of the pools it announces. */
export function factory(source: Part, template: Part = {}): Part {
  const announced = { abi: "Factory", eventSignature: "PoolCreated", addressParam: "pool", ...source };
  return {
    version: "1",
    name: "pools/1.0.0",
    abis: files("Factory", "Pool"),
    instances: [
      { abi: "Factory", address, startBlock: 12369621, chain: "mainnet" },
      { abi: "Pool", source: announced, ...template },
    ],
  };
}
