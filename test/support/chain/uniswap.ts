import { createRequire } from "node:module";
import { Interface, type JsonFragment } from "ethers";
import { type Anvil, type Contract, callOf, type RawReceipt, type Sending } from "./anvil.js";
import { deployToken } from "./erc20.js";

/** Uniswap V3 as deployed on mainnet, and tokens to trade. */
export interface Uniswap {
  readonly factory: Contract;
  readonly positions: Contract;
  readonly router: Contract;
  /** In place of wrapped ether, which nothing here wraps. */
  readonly weth: Contract;
}

/** A pool and its tokens, in the pool's order. */
export interface Pool extends Contract {
  readonly token0: Contract;
  readonly token1: Contract;
  /** Hundredths of a basis point: 500, 3000 or 10000. */
  readonly fee: number;
  /** Of the transaction that created and initialized it. */
  readonly creation: RawReceipt;
}

interface Artifact {
  readonly abi: readonly JsonFragment[];
  readonly bytecode: string;
}

const TICK_SPACING: Readonly<Record<number, number>> = { 500: 10, 3000: 60, 10000: 200 };
const LARGEST_TICK = 887_272;
const WHOLE = 10n ** 18n;
/** Far beyond every block of a test. */
const DEADLINE = 10_000_000_000n;

/** Price 1: the square root of it as a fixed-point number with 96 bits after the point. */
export const PRICE_ONE = 2n ** 96n;

/** Deploys factory, position manager and router from the packages of Uniswap. */
export async function deployUniswap(anvil: Anvil): Promise<Uniswap> {
  const deploy = (path: string, args: readonly unknown[]): Promise<Contract> => {
    const { abi, bytecode } = artifact(path);
    return anvil.deploy(abi, bytecode, args);
  };
  const weth = await deployToken(anvil, {
    name: "Wrapped Ether",
    symbol: "WETH",
    decimals: 18,
    supply: 10n ** 9n * WHOLE,
  });
  const factory = await deploy("v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json", []);
  const periphery = "v3-periphery/artifacts/contracts";
  const positions = await deploy(
    `${periphery}/NonfungiblePositionManager.sol/NonfungiblePositionManager.json`,
    [
      factory.address,
      weth.address,
      // The contract that draws pictures of positions, which no test requests.
      `0x${"0".repeat(40)}`,
    ],
  );
  const router = await deploy(`${periphery}/SwapRouter.sol/SwapRouter.json`, [factory.address, weth.address]);
  return { factory, positions, router, weth };
}

/** Creates a pool, sets its price, and lets the position manager and the router spend the first account's tokens. */
export async function createPool(
  anvil: Anvil,
  { positions, router }: Uniswap,
  one: Contract,
  other: Contract,
  options: { readonly fee?: number; readonly sqrtPriceX96?: bigint } = {},
): Promise<Pool> {
  const [token0, token1] = one.address < other.address ? [one, other] : [other, one];
  const fee = options.fee ?? 3000;
  for (const token of [token0, token1]) {
    await succeed(anvil, callOf(token, "approve", [positions.address, 2n ** 255n]));
    await succeed(anvil, callOf(token, "approve", [router.address, 2n ** 255n]));
  }
  const price = options.sqrtPriceX96 ?? PRICE_ONE;
  const creating = [token0.address, token1.address, fee, price];
  const creation = await succeed(anvil, callOf(positions, "createAndInitializePoolIfNecessary", creating));
  return { address: poolIn(creation), interface: POOL, token0, token1, fee, creation };
}

/** A transaction that adds liquidity over the whole range of prices, from the first account's tokens. */
export function minting(
  anvil: Anvil,
  { positions }: Uniswap,
  pool: Pool,
  amount: bigint = 1_000n * WHOLE,
): Sending {
  const spacing = TICK_SPACING[pool.fee] as number;
  const tick = Math.floor(LARGEST_TICK / spacing) * spacing;
  const owner = anvil.account(0);
  const { token0, token1, fee } = pool;
  return callOf(positions, "mint", [
    [token0.address, token1.address, fee, -tick, tick, amount, amount, 0, 0, owner, DEADLINE],
  ]);
}

/** A transaction that sells an exact amount of one of the pool's tokens, by default the first. */
export function swapping(
  anvil: Anvil,
  { router }: Uniswap,
  pool: Pool,
  amount: bigint,
  sell: "token0" | "token1" = "token0",
): Sending {
  const [paid, bought] = sell === "token0" ? [pool.token0, pool.token1] : [pool.token1, pool.token0];
  return callOf(router, "exactInputSingle", [
    [paid.address, bought.address, pool.fee, anvil.account(0), DEADLINE, amount, 0, 0],
  ]);
}

/** Adds liquidity, see `minting`. */
export function mint(anvil: Anvil, uniswap: Uniswap, pool: Pool, amount?: bigint): Promise<RawReceipt> {
  return succeed(anvil, minting(anvil, uniswap, pool, amount));
}

/** Sells, see `swapping`. */
export function swap(
  anvil: Anvil,
  uniswap: Uniswap,
  pool: Pool,
  amount: bigint,
  sell?: "token0" | "token1",
): Promise<RawReceipt> {
  return succeed(anvil, swapping(anvil, uniswap, pool, amount, sell));
}

async function succeed(anvil: Anvil, sending: Sending): Promise<RawReceipt> {
  const receipt = await anvil.transact(sending);
  if (receipt.status !== "0x1") throw new Error(`Transaction ${receipt.transactionHash} failed`);
  return receipt;
}

function poolIn(creation: RawReceipt): string {
  for (const { topics, data } of creation.logs) {
    const event = FACTORY.parseLog({ topics: [...topics], data });
    if (event?.name === "PoolCreated") return String(event.args.getValue("pool")).toLowerCase();
  }
  throw new Error("There was a pool of these tokens already");
}

function artifact(path: string): Artifact {
  return createRequire(import.meta.url)(`@uniswap/${path}`) as Artifact;
}

const FACTORY = new Interface(
  artifact("v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json").abi,
);
const POOL = new Interface(artifact("v3-core/artifacts/contracts/UniswapV3Pool.sol/UniswapV3Pool.json").abi);
