import { beforeAll, describe, expect, it } from "vitest";
import { createDataNode } from "../../src/data/nodes/data-node.js";
import { createPostgresStore } from "../../src/data/reads/postgres-store.js";
import { createDataService } from "../../src/data/service/data-service.js";
import { createNodeWorld } from "../../src/machine/world.js";
import { type Database, SQL } from "../../src/store/database/database.js";
import { openDatabase } from "../../src/store/open.js";
import { graphloom, workplace } from "../cli/harness.js";
import { type Contract, callOf, useAnvil } from "../support/chain/anvil.js";
import { deployToken } from "../support/chain/erc20.js";
import { deployTold, toldTokens } from "../support/chain/hostile-tokens.js";
import { deployOddToken } from "../support/chain/odd-tokens.js";
import { deployUpgradeable, deployWrapping } from "../support/chain/wrapping-tokens.js";
import { ask, dataKey } from "../support/data/asked.js";
import { serverDatabase } from "../support/database/databases.js";
import { postgresMissing } from "../support/database/postgres-server.js";
import { drawFrom } from "../support/pool/draw.js";

const anvil = useAnvil(["--accounts", "20"]);
const ether = 10n ** 18n;
let address: string;
let database: Database;
/** Tokens by their names in the test. */
const tokens = new Map<string, Contract>();
let upgrade: () => Promise<void>;

type Item = Readonly<Record<string, string | number | null>>;

interface Answer {
  readonly data: readonly Item[];
  readonly omitted: readonly Item[];
  readonly block: number;
}

function token(name: string): Contract {
  const found = tokens.get(name);
  if (!found) throw new Error(`no token ${name}`);
  return found;
}

async function command(line: string, files: Readonly<Record<string, string>> = {}): Promise<void> {
  const { code, err } = await graphloom(workplace(files), `${line} --database ${address}`);
  expect(err).not.toContain("stopped");
  expect(code).toBe(0);
}

/** Runs `data sync` up to the head. */
async function sync(more = ""): Promise<void> {
  await command(`data sync --chains anvil --to ${await anvil().blockNumber()} --rpc ${anvil().url} ${more}`);
}

/** All that a wallet holds. @param isKnowing whether the service has a node */
async function balances(wallet: string, isKnowing: boolean, more = {}): Promise<Answer> {
  const options = { store: createPostgresStore(database, 10_000), key: dataKey, now: Date.now };
  const nodes = new Map(isKnowing ? [["anvil", createDataNode(anvil().client)]] : []);
  const query = { address: wallet, include_unknown_price: true, page_size: 1000, ...more };
  const named = isKnowing ? {} : { token_address: [...tokens.values()].map((one) => one.address).join() };
  const service = createDataService({ ...options, nodes });
  const { status, body, headers } = await ask(service, "/feeds/wallets/balances", { ...named, ...query });
  expect([status, JSON.stringify(body)]).toEqual([200, expect.any(String)]);
  return { data: body.data, omitted: body.omitted_tokens, block: Number(headers["x-block-number"]) };
}

/** The balance of a token by its contract at a block. */
function held(one: Contract, wallet: string, block: number): Promise<bigint | undefined> {
  // It uses up all gas that it is given, which takes a second.
  if (one === tokens.get("Endless")) return Promise.resolve(undefined);
  return anvil()
    .view(one, "balanceOf", [wallet], block)
    .then(
      (value) => BigInt(String(value)),
      () => undefined,
    );
}

describe.skipIf(postgresMissing !== undefined)("the balances of twenty wallets", () => {
  beforeAll(async () => {
    tokens.set(
      "plain",
      await deployToken(anvil(), { name: "Plain", symbol: "PLN", decimals: 6, supply: 10n ** 24n }),
    );
    for (const name of ["Wrapped", "LoudlyWrapped", "Airdropped", "Renamed"] as const)
      tokens.set(name, await deployWrapping(anvil(), name));
    for (const name of [
      "Base",
      "Taxed",
      "Old",
      "Rebasing",
      "Skimming",
      "TwoFaced",
      "Greedy",
      "Refusing",
    ] as const)
      tokens.set(name, await deployOddToken(anvil(), name));
    for (const name of ["Endless", "Verbose", "Idle", "Silent"] as const)
      tokens.set(name, await deployOddToken(anvil(), name));
    for (const [name, told] of Object.entries(toldTokens)) tokens.set(name, await deployTold(anvil(), told));
    const upgradeable = await deployUpgradeable(anvil());
    tokens.set("upgradeable", upgradeable.token);
    upgrade = upgradeable.upgrade;
    address = await serverDatabase();
    await play(drawFrom(50));
    database = await openDatabase(address, createNodeWorld());
    return () => database.close();
  });

  /** Lets wallets do what tokens allow. */
  async function play({ below, one }: ReturnType<typeof drawFrom>): Promise<void> {
    const wallets = anvil().accounts;
    const from = (index: number, value = 0n): object => ({ from: wallets[index], value });
    for (const name of tokens.keys())
      for (const wallet of wallets.slice(1))
        if (
          !["Wrapped", "LoudlyWrapped", "Airdropped"].includes(name) &&
          !(name in toldTokens) &&
          below(3) > 0
        )
          await anvil().send(token(name), "transfer", [wallet, BigInt(1 + below(1_000_000))]);
    for (const [index, wallet] of wallets.entries()) {
      const wrapped = token(one(["Wrapped", "LoudlyWrapped"]));
      const amount = BigInt(2 * (1 + below(1_000_000)));
      // Some only wrap, and some move what they have wrapped.
      if (index !== 3) await anvil().send(wrapped, "deposit", [], from(index, amount));
      if (below(2) > 0) await anvil().send(token("Wrapped"), "depositTwice", [], from(index, amount));
      if (below(2) > 0) await anvil().send(wrapped, "withdraw", [amount / 2n], from(index));
      if (below(2) > 0) await anvil().send(wrapped, "transfer", [one(wallets), 1n], from(index));
      if (below(3) > 0) await anvil().send(token("Airdropped"), "drop", [wallet, BigInt(below(1_000_000))]);
      if (below(3) === 0) await anvil().send(token("Rebasing"), "grow", [wallet]);
      await anvil().send(token("plain"), "transfer", [wallet, BigInt(below(9))], from(index));
    }
    for (const name of Object.keys(toldTokens)) {
      const some = wallets.slice(1).filter(() => below(3) === 0);
      await anvil().inOneBlock(
        some.map((wallet) => callOf(token(name), "transfer", [wallet, BigInt(1 + below(1_000_000))])),
      );
    }
    for (const name of ["dirty", "decimals255", "astral"]) {
      await anvil().send(token(name), "fill", [wallets[4]]);
      await anvil().send(token(name), "transfer", [wallets[4], 5n], from(4));
      await anvil().send(token(name), "transfer", [wallets[6], 0n], from(7));
    }
    await anvil().transact({ ...from(5), to: token("Wrapped").address, value: 77n });
  }

  it("match balanceOf at the answer's block, also for tokens that arrived without a transfer", async () => {
    const priced = [
      "plain",
      "Wrapped",
      "LoudlyWrapped",
      "Airdropped",
      "Renamed",
      "Taxed",
      "upgradeable",
    ].concat(Object.keys(toldTokens));
    const registered = priced.map((name) => `anvil,${token(name).address},${name}`);
    await command("data import tokens.csv", {
      "tokens.csv": `chain,token,canonical_id\n${registered.join("\n")}\n`,
    });
    const minute = Math.floor(Date.now() / 1000);
    const prices = priced.map((name) => `anvil,${token(name).address},${minute},2`);
    await command("data import prices.csv", { "prices.csv": `chain,token,time,usd\n${prices.join("\n")}\n` });
    await sync();
    let rows = 0;
    for (const wallet of anvil().accounts) {
      const { data, omitted, block } = await balances(wallet, true);
      const shown = new Map(data.map((row) => [String(row.token_address), row]));
      const owned = await Promise.all([...tokens.values()].map((one) => held(one, wallet, block)));
      for (const [index, [name, one]] of [...tokens].entries()) {
        // It tells each caller something else, which an audit finds.
        if (name === "TwoFaced") continue;
        const row = shown.get(one.address);
        const own = owned[index];
        const isSaid =
          row?.balance_source === "transfers" || omitted.some((o) => o.token_address === one.address);
        if (row?.balance_source === "node") {
          rows += 1;
          expect([name, row.balance_raw]).toEqual([name, String(own)]);
        } else if (own !== undefined && own > 0n && priced.includes(name)) {
          expect([name, wallet, isSaid]).toEqual([name, wallet, true]);
        }
      }
      const native = shown.get(`0x${"0".repeat(40)}`);
      const ownEther = await anvil().rpc<string>("eth_getBalance", wallet, `0x${block.toString(16)}`);
      expect(native?.balance_raw).toBe(String(BigInt(ownEther)));
      // What wallets only got by a deposit or without any event has a value.
      expect(shown.get(token("Airdropped").address)?.value_usd).toBeGreaterThan(0);
    }
    expect(rows).toBeGreaterThan(20 * 8);
  });

  it("omit, without a node, unique tokens whose ids look like amounts, before any audit", async () => {
    const reasons = new Set<unknown>();
    for (const wallet of anvil().accounts) {
      const { data, omitted } = await balances(wallet, false);
      const draft = token("draft721").address;
      expect(data.find((row) => row.token_address === draft)).toBeUndefined();
      for (const one of omitted) if (one.token_address === draft) reasons.add(one.reason);
    }
    expect([...reasons]).toEqual(["non_fungible"]);
  });

  it("say without a node which tokens are omitted because they move without ERC-20 transfers", async () => {
    const silent = ["Airdropped", "oneTopic", "twoTopics", "fourTopics"];
    const left = async (): Promise<readonly string[]> => {
      const { data, omitted } = await balances(anvil().account(11), false);
      const names = [...tokens].filter(([, { address: at }]) =>
        omitted.some((one) => one.token_address === at && one.reason === "no_transfers"),
      );
      expect(data.filter((row) => names.some(([, { address: at }]) => at === row.token_address))).toEqual([]);
      return names.map(([name]) => name);
    };
    expect(await left()).toEqual(expect.arrayContaining(silent));
    // Tokens that transfers are known of are not among them.
    for (const name of ["plain", "Wrapped", "upgradeable"]) expect(await left()).not.toContain(name);
  });

  it("have safe names, symbols and decimals, even if contracts return hostile ones", async () => {
    const { data } = await balances(anvil().account(0), true);
    const shown = new Map(data.map((row) => [row.token_address, row]));
    const family = "\u{1F468}\u200D\u{1F469}\u200D\u{1F467}";
    const told = Object.keys(toldTokens).flatMap((name) => {
      const row = shown.get(token(name).address);
      return row ? [[name, [row.token_name, row.token_decimals]]] : [];
    });
    expect(Object.fromEntries(told)).toEqual({
      controls: ["US[2JD", 18],
      bidi: ["DSU", 18],
      joiners: [`${family} USD`, 18],
      long: ["Long".repeat(50), 18],
      invalid: ["(A", 18],
      onlyNul: [null, 18],
      noText: [null, 18],
      farOffset: [null, 18],
      empty: [null, null],
      markup: ["=cmd|'/C calc'!A0<script>\"';--", 18],
      astral: ["\u{1F4B0}".repeat(200), 18],
      decimals255: ["Tiny", 255],
      decimals0: ["Whole", 0],
      decimals256: ["Over", null],
      decimalsHuge: ["Huge", null],
      decimalsMost: ["Most", null],
      decimalsShort: ["Short", null],
      decimalsLong: ["Two words", 6],
      decimalsAbsent: ["Absent", null],
      nothingSaid: [null, null],
      oneTopic: ["Nothing indexed", 6],
      twoTopics: ["Sender indexed", 6],
      fourTopics: ["All indexed", 6],
      dirty: ["Dirty", 6],
      wide: ["Wide", 6],
    });
    for (const row of data)
      if (row.token_decimals === null || row.token_decimals === 255)
        expect([row.token_name, row.value_usd]).toEqual([
          row.token_name,
          row.token_decimals && expect.any(Number),
        ]);
  });

  it("are sums of deposits and transfers without a node, or are left out with the reason", async () => {
    const audited = await graphloom(
      workplace(),
      `data audit --chain anvil --wallets 40 --rpc ${anvil().url} --database ${address}`,
    );
    expect(audited.code).toBe(4);
    let rows = 0;
    for (const wallet of anvil().accounts) {
      const { data, omitted, block } = await balances(wallet, false);
      for (const row of data) {
        const [name = "", one] = [...tokens].find(([, { address: at }]) => at === row.token_address) ?? [];
        if (!one || row.token_mark !== null) {
          expect([name, row.token_mark]).toEqual([name, "unreliable"]);
          continue;
        }
        rows += 1;
        expect([name, wallet, row.balance_raw]).toEqual([
          name,
          wallet,
          String(await held(one, wallet, block)),
        ]);
      }
      for (const { reason } of omitted)
        expect(reason).toMatch(/^(rebasing|fee_taking|differs|negative|non_fungible|no_transfers)$/);
      const deposited = data.find((row) => row.token_address === token("Wrapped").address);
      const own = await held(token("Wrapped"), wallet, block);
      expect(deposited?.balance_raw ?? "0").toBe(String(own));
    }
    expect(rows).toBeGreaterThan(20 * 5);
  });

  it("show wrapped ether as a transfer from the zero address, and unwrapped ether as one to it", async () => {
    const options = { store: createPostgresStore(database, 10_000), key: dataKey, now: Date.now };
    const wallet = anvil().account(5);
    const { body } = await ask(createDataService(options), "/feeds/wallets/transfers", {
      address: wallet,
      token_address: token("Wrapped").address,
      page_size: 1,
    });
    expect(body.data).toMatchObject([
      { direction: "in", amount_raw: "77", from_address: `0x${"0".repeat(40)}`, to_address: wallet },
    ]);
  });

  it("are left out without a node where deposits were not read from the first block on", async () => {
    const late = await deployWrapping(anvil(), "Wrapped");
    tokens.set("late", late);
    const wallet = anvil().account(7);
    await anvil().send(late, "deposit", [], { from: wallet, value: 5n * ether });
    await anvil().send(late, "transfer", [anvil().account(8), ether], { from: wallet });
    await sync();
    const reasons = async (): Promise<unknown> => {
      const { data, omitted } = await balances(wallet, false);
      expect(data.filter((row) => row.token_address === late.address)).toEqual([]);
      return omitted.find((one) => one.token_address === late.address)?.reason;
    };
    expect(await reasons()).toBe("no_answer");
    await anvil().send(late, "deposit", [], { from: wallet, value: ether });
    await sync();
    expect(await reasons()).toBe("no_answer");
    const { data } = await balances(wallet, true);
    expect(data.find((row) => row.token_address === late.address)?.balance_raw).toBe(String(5n * ether));
    tokens.delete("late");
  });

  it("are sums again once a token that had no transfers has one", async () => {
    const quiet = await deployWrapping(anvil(), "Airdropped");
    await anvil().send(quiet, "drop", [anvil().account(0), 9n]);
    tokens.set("quiet", quiet);
    await command("data import quiet.csv", {
      "quiet.csv": `chain,token,canonical_id\nanvil,${quiet.address},plain\n`,
    });
    const shown = async (): Promise<unknown> => {
      const { data, omitted } = await balances(anvil().account(8), false);
      const own = ({ token_address: at }: Item): boolean => at === quiet.address;
      return [data.filter(own).map((row) => row.balance_raw), omitted.filter(own).map((one) => one.reason)];
    };
    await sync();
    expect(await shown()).toEqual([[], ["no_transfers"]]);
    await anvil().send(quiet, "transfer", [anvil().account(8), 5n]);
    await sync();
    expect(await shown()).toEqual([["5"], []]);
    tokens.delete("quiet");
  });

  it("show the current symbol and decimals of a token, and transfers show those of their blocks", async () => {
    const wallet = anvil().account(9);
    for (const name of ["Renamed", "upgradeable"])
      await anvil().send(token(name), "transfer", [wallet, 5_000_000n]);
    await sync();
    const facts = async (name: string): Promise<readonly unknown[]> => {
      const { data } = await balances(wallet, true, { token_address: token(name).address });
      return [data[0]?.token_symbol, data[0]?.token_decimals];
    };
    expect([await facts("Renamed"), await facts("upgradeable")]).toEqual([
      ["BEF", 6],
      ["EAR", 6],
    ]);
    await anvil().mine(3);
    await anvil().send(token("Renamed"), "rename", ["After", "AFT", 18]);
    const changed = await anvil().blockNumber();
    await upgrade();
    await anvil().mine(3);
    for (const name of ["Renamed", "upgradeable"]) await anvil().send(token(name), "transfer", [wallet, 1n]);
    await sync();
    // The event of the proxy is read; the other token says nothing of its change.
    expect([await facts("Renamed"), await facts("upgradeable")]).toEqual([
      ["BEF", 6],
      ["LAT", 18],
    ]);
    await sync("--refresh-tokens");
    expect(await facts("Renamed")).toEqual(["AFT", 18]);
    const options = { store: createPostgresStore(database, 10_000), key: dataKey, now: Date.now };
    const { body } = await ask(createDataService(options), "/feeds/wallets/transfers", {
      address: wallet,
      token_address: token("Renamed").address,
    });
    for (const row of body.data)
      expect([row.block_number, row.token_symbol, row.token_decimals]).toEqual(
        row.block_number < changed ? [row.block_number, "BEF", 6] : [row.block_number, "AFT", 18],
      );
    const [{ from_block: from } = {}] = await database.query(
      SQL`select max(from_block) as from_block from graphloom.data_tokens where token = $1::text`,
      [token("Renamed").address],
    );
    expect(Number(from)).toBe(changed);
  });

  it("show a token's new name within a day, without an event", async () => {
    const wallet = anvil().account(9);
    const symbol = async (): Promise<unknown> => {
      const { data } = await balances(wallet, true, { token_address: token("Renamed").address });
      return data[0]?.token_symbol;
    };
    await anvil().send(token("Renamed"), "rename", ["Later", "LTR", 18]);
    await sync();
    expect(await symbol()).toBe("AFT");
    await database.run(SQL`update graphloom.data_tokens set asked_at = asked_at - 86400`);
    await sync();
    expect(await symbol()).toBe("LTR");
    await anvil().send(token("Renamed"), "rename", ["After", "AFT", 18]);
    await sync("--refresh-tokens");
  });

  it("show the operator's name for a token where it takes precedence", async () => {
    const wallet = anvil().account(9);
    const line = `anvil,${token("Renamed").address},OPS,2,Renamed`;
    const header = "chain,token,symbol,decimals,canonical_id";
    await command("data import tokens.csv", { "tokens.csv": `${header}\n${line}\n` });
    const facts = async (): Promise<readonly unknown[]> => {
      const { data } = await balances(wallet, true, { token_address: token("Renamed").address });
      return [data[0]?.token_symbol, data[0]?.token_decimals, data[0]?.token_name];
    };
    expect(await facts()).toEqual(["AFT", 18, "After"]);
    await command("data import tokens.csv", { "tokens.csv": `${header},override\n${line},true\n` });
    expect(await facts()).toEqual(["OPS", 2, "After"]);
  });
});
