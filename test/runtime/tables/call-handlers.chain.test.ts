import { AbiCoder, type Result } from "ethers";
import { beforeAll, describe, expect, it } from "vitest";
import { type Compilation, renderText } from "../../../src/exports/index.js";
import { type Contract, type RawReceipt, useAnvil } from "../../support/chain/anvil.js";
import { compileContract } from "../../support/chain/solidity.js";
import { buildConfig, type PlainEntity, type Ran, runOn } from "../harness.js";
import { answered, baseOfCall, deployFrom, idOf, logOf, paramsOf } from "./expected.js";
import { HANDLERS, SOURCE } from "./shop.js";

const anvil = useAnvil();
let built: Compilation;
let ran: Ran;
let shop: Contract;
let other: Contract;
let customer: Contract;
let to: string;
let twice: RawReceipt;
let careful: RawReceipt;
let mixed: RawReceipt;
let failed: RawReceipt;
let early: RawReceipt;
let refused: RawReceipt;
let submitted: RawReceipt;
let batched: RawReceipt;
let bare: RawReceipt;
let opened: RawReceipt;
let later: RawReceipt;
let mall: Contract;
/** The shop that the mall created. */
let made: Contract;
const order = [`0x${"ab".repeat(20)}`, 200n, ["0x01020304", -5n]] as const;
const items = [
  [`0x${"cd".repeat(20)}`, 1n],
  [`0x${"ef".repeat(20)}`, 2n],
] as const;

beforeAll(async () => {
  shop = await deployFrom(anvil(), SOURCE, "Shop");
  other = await deployFrom(anvil(), SOURCE, "Shop");
  customer = await deployFrom(anvil(), SOURCE, "Customer");
  to = anvil().account(6);
  const send = (contract: Contract, name: string, args: readonly unknown[]) =>
    anvil().send(contract, name, args);
  early = await send(shop, "pay(address,uint256)", [to, 4n]);
  failed = await send(shop, "pay(address,uint256)", [to, 13n]);
  twice = await send(customer, "twice", [shop.address, to, 60n]);
  careful = await send(customer, "careful", [shop.address, to]);
  refused = await send(shop, "pay(address,uint256)", [to, 2000n]);
  submitted = await send(shop, "submit", [order, [1n, 2n]]);
  batched = await send(shop, "batch", [items, [[1n], [2n, 3n]]]);
  bare = await send(shop, "bare", [4n, [to], "0x03"]);
  mixed = await send(customer, "mixed", [shop.address, other.address, to]);
  mall = await deployFrom(anvil(), SOURCE, "Mall");
  opened = await send(mall, "open", [to]);
  made = { ...shop, address: String(paramsOf(mall, logOf(opened)).shop).toLowerCase() };
  later = await send(customer, "twice", [made.address, to, 3n]);
  const instance = ({ address }: Contract) => ({ abi: "Shop", address, startBlock: 0, chain: "mainnet" });
  built = await buildConfig({
    abis: { Shop: compileContract(SOURCE, "Shop").abi, Mall: compileContract(SOURCE, "Mall").abi },
    enableCallHandlers: true,
    instances: [
      { ...instance(shop), enrich: { handlers: HANDLERS } },
      { ...instance(mall), abi: "Mall" },
      {
        abi: "Shop",
        source: { abi: "Mall", eventSignature: "Opened(address)", addressParam: "shop" },
      },
      { ...instance(other), enrich: { handlers: HANDLERS } },
    ],
  });
  ran = await runOn(anvil(), built);
  expect(ran.failure).toBeUndefined();
});

/** The entities of a type that a transaction created. */
async function madeIn({ transactionHash }: RawReceipt, type: string): Promise<readonly PlainEntity[]> {
  return (await ran.all(type)).filter(({ id }) => String(id).startsWith(transactionHash));
}

describe("a call handler", () => {
  it("stores a call with its inputs and outputs", async () => {
    const [result] = await madeIn(early, "Pay1Call");
    expect(result).toEqual({
      ...(await baseOfCall(anvil(), early, shop)),
      param0: to,
      value: 4n,
      output_ok: true,
    });
  });

  it("ignores a failed call and the calls made by it", async () => {
    expect(failed.status).toBe("0x0");
    expect(await madeIn(failed, "Pay1Call")).toEqual([]);
  });

  it("stores a successful call inside a reverted call, but not a call that failed itself", async () => {
    expect(careful.status).toBe("0x1");
    expect(await madeIn(careful, "Pay1Call")).toMatchObject([{ value: 7n }, { value: 6n }]);
  });

  it("stores each of two equal calls in a transaction", async () => {
    const values = { param0: to, value: 60n, output_ok: true };
    expect(await madeIn(twice, "Pay1Call")).toEqual([
      { ...(await baseOfCall(anvil(), twice, shop, 0)), ...values },
      { ...(await baseOfCall(anvil(), twice, shop, 1)), ...values },
    ]);
  });

  it("distinguishes equal calls to different contracts, and overloads", async () => {
    const calls = await madeIn(mixed, "Pay1Call");
    expect(calls.map(({ contractId_ }) => contractId_)).toEqual([shop.address, other.address]);
    expect(calls.map(({ value }) => value)).toEqual([5n, 5n]);
    expect(await madeIn(mixed, "PayCall")).toMatchObject([{ to, contractId_: shop.address }]);
    expect(await madeIn(mixed, "ResetCall")).toHaveLength(2);
  });

  it("stores calls to a contract created in the same block, with that instance's enrichment only", async () => {
    const ids = [`${later.transactionHash}-0`, `${later.transactionHash}-1`];
    expect(await madeIn(opened, "OpenCall")).toEqual([{ ...(await baseOfCall(anvil(), opened, mall)), to }]);
    expect(await madeIn(opened, "Pay1Call")).toEqual([
      { ...(await baseOfCall(anvil(), opened, made)), param0: to, value: 8n, output_ok: true },
    ]);
    expect((await madeIn(later, "Pay1Call")).map(({ id }) => id)).toEqual(ids);
    expect(await madeIn(later, "Payer")).toEqual([]);
    expect(await madeIn(later, "Payment")).toEqual([]);
  });

  it("flattens structs of inputs and outputs", async () => {
    const inputs = shop.interface.parseTransaction({ data: await inputOf(submitted) })?.args as Result;
    expect(await madeIn(submitted, "SubmitCall")).toEqual([
      {
        ...(await baseOfCall(anvil(), submitted, shop)),
        order_maker: String(inputs.order.maker).toLowerCase(),
        order_kind: Number(inputs.order.kind),
        order_inner_sel: inputs.order.inner.sel,
        order_inner_x: inputs.order.inner.x,
        ids: inputs.ids.toArray(),
        output_made_to: order[0],
        output_made_amount: 1n,
        output_value1: true,
      },
    ]);
  });

  it("stores lists of structs as columns, and encodes deeper lists", async () => {
    expect(await madeIn(batched, "BatchCall")).toEqual([
      {
        ...(await baseOfCall(anvil(), batched, shop)),
        items_to: items.map(([holder]) => holder),
        items_amount: [1n, 2n],
        param1: AbiCoder.defaultAbiCoder().encode(["uint8[][]"], [[[1n], [2n, 3n]]]),
        output_made_to: items.map(([holder]) => holder),
        output_made_amount: [1n, 2n],
        output_value1: [
          (await answered(anvil(), shop, "total", [], batched.blockNumber))[0],
          BigInt(items.length),
        ],
      },
    ]);
  });

  it("numbers unnamed inputs and outputs", async () => {
    const [number, text, key] = await answered(anvil(), shop, "bare", [4n, [to], "0x03"], bare.blockNumber);
    expect(await madeIn(bare, "BareCall")).toEqual([
      {
        ...(await baseOfCall(anvil(), bare, shop)),
        x: 4n,
        param1: [to],
        param2: "0x03",
        output_value0: number,
        output_value1: text,
        output_key: key,
      },
    ]);
  });

  async function inputOf({ transactionHash }: RawReceipt): Promise<string> {
    return (await anvil().rpc<{ input: string }>("eth_getTransactionByHash", transactionHash)).input;
  }
});

describe("the enrichment of a call", () => {
  it("can read the inputs, the caller, results as of the block, and the entity", async () => {
    const [total] = await answered(anvil(), shop, "total", [], twice.blockNumber);
    expect(total).toBe(124n);
    const ids = [`${twice.transactionHash}-0`, `${twice.transactionHash}-1`];
    expect(await madeIn(twice, "Payment")).toEqual(
      ids.map((id) => ({ id, pay1Call: id, to, by: customer.address, total, brokenGone: true })),
    );
    const payer = (await ran.all("Payer", Number(twice.blockNumber))).find(
      ({ id }) => id === customer.address,
    );
    expect(payer).toEqual({ id: customer.address, pay1Call: ids[1], last: 60n, trigger: ids[1] });
  });

  it("is aborted by pre and post conditions, while the call's entity is kept", async () => {
    expect(await madeIn(refused, "Pay1Call")).toMatchObject([{ output_ok: false }]);
    expect(await madeIn(refused, "Payment")).toEqual([]);
    expect(await answered(anvil(), shop, "total", [], early.blockNumber)).toEqual([4n]);
    expect(await madeIn(early, "Payment")).toEqual([]);
  });

  it("causes a warning because its calls cannot be declared", () => {
    expect(renderText(built.diagnostics)).toMatch(/not-declarable/);
  });

  it("creates entities whose ids collide with none of other functions or events", async () => {
    const made = await madeIn(mixed, "Movement");
    expect(made.map(({ what }) => what).sort()).toEqual([
      "paid one",
      "reset",
      "reset",
      "reset called",
      "reset called",
    ]);
    const resets = made.filter(({ what }) => what === "reset").map(({ id }) => id);
    expect(resets).toEqual([idOf(logOf(mixed, 0)), idOf(logOf(mixed, 1))]);
  });
});
