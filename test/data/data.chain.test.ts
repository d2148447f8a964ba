import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { ClickHousePlace } from "../../src/data/clickhouse/clickhouse-place.js";
import { createClickHouseStore } from "../../src/data/clickhouse/clickhouse-store.js";
import { clickHouseTables } from "../../src/data/clickhouse/clickhouse-tables.js";
import { schemaOf } from "../../src/data/filling/chain-tables.js";
import { balanceOf, wordIn } from "../../src/data/nodes/balance-of.js";
import { createDataNode } from "../../src/data/nodes/data-node.js";
import { createNodeBalances } from "../../src/data/nodes/read-balances.js";
import { createPostgresStore } from "../../src/data/reads/postgres-store.js";
import { createDataService } from "../../src/data/service/data-service.js";
import { createNodeWorld } from "../../src/machine/world.js";
import { openClickHouse } from "../../src/pipelines/machine/clickhouse/open-clickhouse.js";
import { markedPlaces } from "../../src/pipelines/sinks/clickhouse/written-places.js";
import { serveData } from "../../src/platform/data/serve-data.js";
import {
  type Database,
  type Row,
  SQL,
  type SqlFragment,
  type SqlText,
} from "../../src/store/database/database.js";
import { quoteNames } from "../../src/store/database/quote.js";
import { openDatabase } from "../../src/store/open.js";
import { graphloom, workplace } from "../cli/harness.js";
import { type Contract, type RawLog, useAnvil } from "../support/chain/anvil.js";
import { deployToken } from "../support/chain/erc20.js";
import { deployOddToken } from "../support/chain/odd-tokens.js";
import { type Asked, ask, dataKey } from "../support/data/asked.js";
import { serverDatabase } from "../support/database/databases.js";
import { notingDatabase } from "../support/database/noting-database.js";
import { postgresMissing } from "../support/database/postgres-server.js";
import { json, startDouble } from "../support/network/double-server.js";
import { lackOfClickHouse, startClickHouse } from "../support/servers/clickhouse.js";
import { until } from "../support/until.js";

const anvil = useAnvil();
let address: string;
let database: Database;
let plain: Contract;
let taxed: Contract;
let nameless: Contract;
let old: Contract;
let rebasing: Contract;

/** Runs `data sync` on the chain, up to its head. */
async function sync(more = ""): Promise<void> {
  const { code, err } = await graphloom(
    workplace(),
    `data sync --chains anvil --to ${await anvil().blockNumber()} --rpc ${anvil().url} --database ${address} ${more}`,
  );
  // On a slow machine, there is progress in it.
  expect(err).not.toContain("stopped");
  expect(code).toBe(0);
}

/** A ClickHouse database for the rows of chains. It ends with the test. */
async function startRows(): Promise<ClickHousePlace & { readonly text: string }> {
  const server = await startClickHouse(workplace());
  onTestFinished(server.stop);
  const { url, username, password } = server.address;
  const database = "rows of chains";
  const text = `${url.replace("://", `://${username}:${encodeURIComponent(password)}@`)}/${encodeURIComponent(database)}`;
  const opened = await openClickHouse(server.address);
  onTestFinished(() => opened.close());
  return { server: opened, address: { ...server.address, database }, text };
}

/** All rows of a table, in the order of their keys. */
function rowsOf(table: string): Promise<readonly Row[]> {
  return database.query(SQL`select * from ${quoteNames(schemaOf("anvil"), table)} order by 1, 2`);
}

describe.skipIf(postgresMissing !== undefined)("the data service on a chain", () => {
  beforeAll(async () => {
    plain = await deployToken(anvil(), { name: "Plain", symbol: "PLN", decimals: 6, supply: 10n ** 12n });
    taxed = await deployOddToken(anvil(), "Taxed");
    await anvil().send(plain, "transfer", [anvil().account(1), 500n]);
    // To oneself, and two equal ones in one transaction.
    await anvil().send(plain, "transfer", [anvil().account(0), 7n]);
    await anvil().send(plain, "transferMany", [anvil().account(2), 3n, 2n]);
    await anvil().send(taxed, "transfer", [anvil().account(1), 1_000n]);
    nameless = await deployOddToken(anvil(), "Base");
    old = await deployOddToken(anvil(), "Old");
    rebasing = await deployOddToken(anvil(), "Rebasing");
    for (const token of [nameless, old, rebasing])
      await anvil().send(token, "transfer", [anvil().account(1), 50n]);
    await anvil().send(rebasing, "grow", [anvil().account(1)]);
    await anvil().transact({ to: anvil().account(3), value: 5n });
    await anvil().transact({ to: anvil().account(3), value: 0n });
    await anvil().transact({ to: anvil().account(0), value: 9n });
    // The token takes no ether, so this one fails.
    await anvil().transact({ to: plain.address, value: 1n, gas: 100_000 });
    address = await serverDatabase();
    database = await openDatabase(address, createNodeWorld());
    return () => database.close();
  });

  it("fills the tables from a node, and continues where it ended", async () => {
    await sync();
    const blocks = await rowsOf("blocks");
    expect(blocks.map(({ number }) => Number(number))).toEqual(
      Array.from({ length: (await anvil().blockNumber()) + 1 }, (_, number) => number),
    );
    const last = await anvil().rpc<{ hash: string; timestamp: string }>(
      "eth_getBlockByNumber",
      "latest",
      false,
    );
    expect(blocks.at(-1)).toMatchObject({ hash: last.hash, timestamp: String(Number(last.timestamp)) });
    const transfers = await rowsOf("transfers");
    expect(transfers).toHaveLength(2 * 14);
    expect(await rowsOf("natives")).toMatchObject([
      { wallet: anvil().account(0), counterparty: anvil().account(3), amount: "-5" },
      { wallet: anvil().account(3), counterparty: anvil().account(0), amount: "5" },
      { wallet: anvil().account(0), counterparty: anvil().account(0), amount: "-9" },
      { wallet: anvil().account(0), counterparty: anvil().account(0), amount: "9" },
    ]);
    await anvil().send(plain, "transfer", [anvil().account(4), 1n]);
    await sync();
    expect(await rowsOf("transfers")).toHaveLength(2 * 15);
    for (const token of [plain, taxed])
      for (const wallet of [0, 1, 2, 4].map((index) => anvil().account(index))) {
        const [row] = await database.query(
          SQL`select balance from ${quoteNames(schemaOf("anvil"), "balances")} where wallet = $1::text and token = $2::text`,
          [wallet, token.address],
        );
        expect(BigInt(row?.balance ?? 0)).toBe(await anvil().view(token, "balanceOf", [wallet]));
      }
  });

  it("shows what a wallet holds as its node does, with the names that contracts report", async () => {
    const node = createDataNode(anvil().client);
    const options = { store: createPostgresStore(database, 10_000), key: dataKey, now: Date.now };
    const knowing = createDataService({ ...options, nodes: new Map([["anvil", node]]) });
    const query = { address: anvil().account(1), include_unknown_price: true, include_historical: true };
    const { status, body, headers } = await ask(knowing, "/feeds/wallets/balances", query);
    expect([status, headers["x-block-number"]]).toEqual([200, String(await anvil().blockNumber())]);
    const rows = body.data.map((row: Readonly<Record<string, unknown>>) => [
      row.token_address,
      BigInt(String(row.balance_raw)),
      row.token_symbol,
      row.token_name,
      row.token_decimals,
    ]);
    const own = (token: Contract): Promise<unknown> => anvil().view(token, "balanceOf", [anvil().account(1)]);
    const ether = BigInt(await anvil().rpc<string>("eth_getBalance", anvil().account(1), "latest"));
    expect(rows).toHaveLength(6);
    for (const row of [
      [`0x${"0".repeat(40)}`, ether, "ETH", "Ether", 18],
      [plain.address, await own(plain), "PLN", "Plain", 6],
      [taxed.address, await own(taxed), "TAX", "Taxed", 18],
      [nameless.address, 50n, null, null, null],
      [old.address, 50n, "OLD", "Old Token", 18],
      [rebasing.address, 100n, "REB", "Rebasing", 18],
    ])
      expect(rows).toContainEqual(row);
    // Without the node, there is what was transferred.
    const alone = createDataService(options);
    const summed = await ask(alone, "/feeds/wallets/balances", { ...query, token_address: rebasing.address });
    expect(summed.body.data).toMatchObject([{ balance_raw: "50" }]);
  });

  it("shows what a wallet moved, as the receipts do", async () => {
    const service = createDataService({
      store: createPostgresStore(database, 10_000),
      key: dataKey,
      now: Date.now,
    });
    const logs = await anvil().rpc<readonly RawLog[]>("eth_getLogs", { fromBlock: "0x0", toBlock: "latest" });
    const wallet = anvil().account(0);
    const word = wallet.slice(2).padStart(64, "0");
    const expected = logs.flatMap(({ topics, data, transactionHash, address: token }) =>
      [topics[2], topics[1]].flatMap((topic, half) =>
        topic === `0x${word}` ? [`${transactionHash} ${token} ${half ? "out" : "in"} ${BigInt(data)}`] : [],
      ),
    );
    const { body } = await ask(service, "/feeds/wallets/transfers", {
      address: wallet,
      include_unknown_price: true,
      transfer_type: "erc20",
    });
    const found = body.data.map(
      (row: Readonly<Record<string, string>>) =>
        `${row.transaction_hash} ${row.token_address} ${row.direction} ${row.amount_raw}`,
    );
    expect(found.length).toBeGreaterThan(10);
    expect([...found].reverse().sort()).toEqual([...expected].sort());

    // Newest first; of a transfer to oneself, what came in is before what went out.
    const natives: string[] = [];
    for (let number = await anvil().blockNumber(); number >= 0; number -= 1) {
      const { transactions } = await anvil().rpc<{
        readonly transactions: readonly Readonly<Record<string, string>>[];
      }>("eth_getBlockByNumber", `0x${number.toString(16)}`, true);
      for (const { hash, from, to, value = "0x0" } of [...transactions].reverse()) {
        const { status } = await anvil().rpc<{ readonly status: string }>("eth_getTransactionReceipt", hash);
        if (status !== "0x1" || BigInt(value) === 0n) continue;
        if (to === wallet) natives.push(`${hash} in ${BigInt(value)}`);
        if (from === wallet) natives.push(`${hash} out ${BigInt(value)}`);
      }
    }
    const native = await ask(service, "/feeds/wallets/transfers", {
      address: wallet,
      include_unknown_price: true,
      transfer_type: "native",
    });
    expect(
      native.body.data.map(
        (row: Readonly<Record<string, string>>) =>
          `${row.transaction_hash} ${row.direction} ${row.amount_raw}`,
      ),
    ).toEqual(natives);
    expect(natives).toHaveLength(3);
  });

  it("audits tokens against their contracts, and marks tokens with wrong sums", async () => {
    const odd = [
      "Skimming",
      "TwoFaced",
      "Greedy",
      "Refusing",
      "Endless",
      "Verbose",
      "Silent",
      "Idle",
    ] as const;
    const kindOf: Readonly<Record<string, string>> = { Skimming: "fee_taking", Idle: "differs" };
    const tokens = new Map<string, string>([
      [plain.address, "agrees"],
      [taxed.address, "agrees"],
      [rebasing.address, "rebasing"],
    ]);
    for (const which of odd) {
      const token = await deployOddToken(anvil(), which);
      await anvil().send(token, "transfer", [anvil().account(1), 1_000n]);
      tokens.set(token.address, kindOf[which] ?? "unreliable");
      if (which === "Skimming") await anvil().send(token, "transfer", [anvil().account(2), 500n]);
    }
    await sync();
    const audit = async (more = ""): Promise<{ readonly code: number; readonly out: string }> =>
      graphloom(workplace(), `data audit --chain anvil --rpc ${anvil().url} --database ${address} ${more}`);
    const { code, out } = await audit("--output json");
    expect(code).toBe(4);
    const found = JSON.parse(out);
    expect(found).toMatchObject({ agreed: false, seed: "1", wallets: 4 });
    const kinds = new Map(
      found.tokens.map(({ token, kind }: Readonly<Record<string, string>>) => [token, kind]),
    );
    for (const [token, kind] of tokens) expect([token, kinds.get(token)]).toEqual([token, kind]);
    const evidence = (token: string): string =>
      found.tokens.find((one: Readonly<Record<string, string>>) => one.token === token).evidence;
    expect(evidence(rebasing.address)).toMatch(
      / held 50 at block \d+ and 100 at block \d+, without a transfer/,
    );
    expect(evidence(plain.address)).toBeNull();
    const { out: table } = await audit();
    expect(table).toContain("takes fees");
    expect(table).toMatch(/transfers brought 0x\w+ (1000|500), and its balance rose by (990|495)\./);
    expect(table).toContain("differ: 4 wallets at block");
    expect((await audit(`--tokens ${plain.address},${taxed.address}`)).code).toBe(0);

    const node = createDataNode(anvil().client);
    const options = { store: createPostgresStore(database, 10_000), key: dataKey, now: Date.now };
    const query = { address: anvil().account(1), include_unknown_price: true, include_historical: true };
    const shown = async (nodes: ReadonlyMap<string, typeof node>, more = {}): Promise<readonly unknown[]> => {
      const { status, body } = await ask(
        createDataService({ ...options, nodes }),
        "/feeds/wallets/balances",
        {
          ...query,
          ...more,
        },
      );
      expect(status).toBe(200);
      return [...body.data, ...body.omitted_tokens];
    };
    const knowing = await shown(new Map([["anvil", node]]));
    const alone = await shown(new Map(), { token_address: [...tokens.keys()].join(",") });
    for (const [token, kind] of tokens) {
      const isSum = kind === "unreliable";
      expect(knowing).toContainEqual(
        expect.objectContaining({
          token_address: token,
          token_mark: kind === "agrees" ? null : kind,
          balance_source: isSum ? "transfers" : "node",
        }),
      );
      expect(alone).toContainEqual(
        expect.objectContaining(
          kind === "agrees" || isSum
            ? { token_address: token, balance_source: "transfers" }
            : { chain: "anvil", token_address: token, reason: kind },
        ),
      );
    }
  });

  it("serves prices of a source that the operator names", async () => {
    const observed = Math.floor(Date.now() / 1000) - 60;
    const source = await startDouble(() =>
      json({ [plain.address]: { usd: "1.5", last_updated_at: observed } }),
    );
    onTestFinished(() => source.stop());
    const place = `--database ${address}`;
    const cwd = workplace({ "tokens.csv": `chain,token,canonical_id\nanvil,${plain.address},plain\n` });
    expect((await graphloom(cwd, `data import tokens.csv ${place}`)).code).toBe(0);
    const ending = new AbortController();
    let answer: Promise<Response> | undefined;
    const { code } = await graphloom(
      cwd,
      `data serve --prices ${source.url}/{chain}?tokens={tokens} --rpc ${anvil().url} --port 0 ${place}`,
      {
        env: { GRAPHLOOM_DATA_SERVICE_KEY: dataKey },
        signal: ending.signal,
        onOut: (text) => {
          const [, at] = /answers at (\S+)/.exec(text) ?? [];
          const query = `address=${anvil().account(1)}&token_address=${plain.address}&key=${dataKey}`;
          answer ??= fetch(`${at}/feeds/wallets/balances?${query}`);
          answer.finally(() => ending.abort()).catch(() => undefined);
        },
      },
    );
    expect(code).toBe(0);
    const held = BigInt(String(await anvil().view(plain, "balanceOf", [anvil().account(1)])));
    const { data } = (await (await answer)?.json()) as { readonly data: readonly unknown[] };
    expect(data).toMatchObject([
      {
        balance_raw: String(held),
        balance_source: "node",
        price_usd: 1.5,
        value_usd: (Number(held) * 1.5) / 1e6,
        last_priced_at: new Date(observed * 1000).toISOString().replace(".000Z", "Z"),
      },
    ]);
    expect(source.requests.map(({ path, query }) => `${path} ${query.get("tokens")}`)).toEqual([
      `/anvil ${plain.address}`,
    ]);
  });

  it("reads only the rows of the requested wallet", async () => {
    const noted: (readonly [statement: SqlFragment, given: readonly SqlText[]])[] = [];
    const noting = notingDatabase(database, (...one) => noted.push(one));
    const service = createDataService({
      store: createPostgresStore(noting, 10_000),
      key: dataKey,
      now: Date.now,
    });
    const address = anvil().account(0);
    await ask(service, "/feeds/wallets/transfers", { address });
    await ask(service, "/feeds/wallets/transfers", {
      address,
      token_address: plain.address,
      direction: "in",
    });
    await ask(service, "/feeds/wallets/balances", { address, token_address: plain.address });
    await ask(service, "/feeds/wallets/balances", { address });
    const own = noted.filter(([statement]) => /\."(?:transfers|natives|balances)"/.test(statement));
    expect(own).toHaveLength(5);
    await database.transaction(async (sql) => {
      // Few rows are read one by one otherwise, whatever indexes there are.
      await sql.run(SQL`set local enable_seqscan = off; set local enable_bitmapscan = off`);
      for (const [statement, given] of own) {
        const plan = (await sql.query(SQL`explain ${statement}`, given))
          .map((row) => row["QUERY PLAN"])
          .join("\n");
        expect(plan).not.toMatch(/Seq Scan on (?:transfers|natives|balances)/);
        expect(plan).toMatch(
          statement.includes('"balances"')
            ? // The conditions are those of the index, so that tokens are not searched for among all that the wallet has.
              /Index Scan using balances.*\n *Index Cond: .*wallet IS NULL\) = false.*token IS NULL\) = false/
            : /Limit.*\n *-> *Index Only Scan Backward using (?:transfers|natives)_wallet/,
        );
      }
    });
  });

  it("answers over HTTP, with its OpenAPI document and an explorer", async () => {
    const service = createDataService({
      store: createPostgresStore(database, 10_000),
      key: dataKey,
      now: Date.now,
    });
    const served = await serveData({ service, host: "127.0.0.1", port: 0 });
    onTestFinished(() => served.close());
    const get = (path: string): Promise<Response> => fetch(`${served.address}${path}`);
    const head = await get(`/blocks/anvil/head?key=${dataKey}`);
    expect(head.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(await head.json()).toMatchObject({ chain: "anvil", number: await anvil().blockNumber() });
    expect(head.headers.get("x-block-hash")).toMatch(/^0x[0-9a-f]{64}$/);
    expect((await get("/blocks/anvil")).status).toBe(401);
    expect((await get("//[/")).status).toBe(401);
    expect(await (await get("/openapi.json")).json()).toMatchObject({
      openapi: "3.1.0",
      info: { version: "0.1.0" },
      servers: [{ url: served.address }],
    });
    expect(await (await get("/docs")).text()).toContain("graphloom: data service");
  });

  it("asks the contracts of many tokens in one call, and asks again if some need more gas", async () => {
    const deploy = async (which: Parameters<typeof deployOddToken>[1]): Promise<string> =>
      (await deployOddToken(anvil(), which)).address;
    const [refusing, endless, verbose, silent] = [
      await deploy("Refusing"),
      await deploy("Endless"),
      await deploy("Verbose"),
      await deploy("Silent"),
    ];
    const nobody = `0x${"5".repeat(40)}`;
    const honest = [plain, taxed, rebasing, nameless, old].map((token) => token.address);
    const { hash: blockHash } = await anvil().rpc<{ readonly hash: string }>(
      "eth_getBlockByNumber",
      "latest",
      false,
    );
    const wallet = anvil().account(1);
    const node = createDataNode(anvil().client);
    /** What was asked alone, how often something was asked together, and what came of it. */
    const read = async (
      tokens: readonly string[],
    ): Promise<readonly [readonly string[], number, readonly unknown[] | undefined]> => {
      const alone: string[] = [];
      let together = 0;
      const counted: typeof node = {
        ...node,
        call: (contract, ...rest) => {
          alone.push(contract);
          return node.call(contract, ...rest);
        },
        create: (...given) => {
          together++;
          return node.create(...given);
        },
      };
      const balances = createNodeBalances(new Map([["anvil", counted]]));
      const found = await balances.read({ chain: "anvil", wallet, blockHash }, tokens);
      return [alone, together, found];
    };
    const own = await Promise.all(
      honest.map(async (token) => wordIn(await node.call(token, balanceOf(wallet), blockHash))),
    );
    const odd = [refusing, endless, verbose, silent, nobody];
    // A megabyte of zeros begins with one.
    expect(await read([...odd, ...honest])).toEqual([
      odd,
      1,
      [undefined, undefined, 0n, undefined, undefined, ...own],
    ]);
    const many = Array.from({ length: 90 }, () => honest).flat();
    expect(await read(many)).toEqual([[], 3, many.map((token) => own[honest.indexOf(token)])]);
    const spam = Array.from({ length: 40 }, () => endless);
    expect(await read([...spam, ...honest])).toEqual([
      [...spam, ...honest],
      1,
      [...spam.map(() => undefined), ...own],
    ]);
  });

  it("finds balances from before the first indexed block by asking a chain that has them", async () => {
    await anvil().send(plain, "transfer", [anvil().account(1), 4n]);
    const late = await serverDatabase();
    const last = await anvil().blockNumber();
    const line = `--rpc ${anvil().url} --database ${late}`;
    const { code } = await graphloom(
      workplace(),
      `data sync --chains anvil --from ${last} --to ${last} --no-natives ${line}`,
    );
    expect(code).toBe(0);
    const audited = await graphloom(workplace(), `data audit --chain anvil --output json ${line}`);
    expect(audited.code).toBe(4);
    const [{ token, kind, evidence }, ...others] = JSON.parse(audited.out).tokens;
    expect([token, kind, others]).toEqual([plain.address, "pre_history", []]);
    const [, wallet = "", held = ""] =
      /^(0x\w+) held (\d+) at block \d+, before the transfers in the tables\.$/.exec(evidence) ?? [];
    expect(BigInt(held)).toBe(await anvil().view(plain, "balanceOf", [wallet], last - 1));
  });

  it("fills and reads tables in a folder", async () => {
    const cwd = workplace();
    const { code, err } = await graphloom(
      cwd,
      `data sync --chains anvil --to 1 --no-natives --rpc ${anvil().url} --data platform`,
    );
    expect(code).toBe(0);
    expect(err).toContain("blocks: 2 rows, block 1, done\n");
    const embedded = await openDatabase(join(cwd, "platform", "database"), createNodeWorld());
    onTestFinished(() => embedded.close());
    const service = createDataService({
      store: createPostgresStore(embedded, 10_000),
      key: dataKey,
      now: Date.now,
    });
    const { body } = await ask(service, "/blocks/anvil");
    expect(body.data).toMatchObject([{ number: 1 }, { number: 0 }]);
    const natives = { address: anvil().account(0), chains: "anvil", transfer_type: "native" };
    expect((await ask(service, "/feeds/wallets/transfers", natives)).status).toBe(503);
    const { body: moved } = await ask(service, "/feeds/wallets/transfers", {
      address: anvil().account(0),
      include_unknown_price: true,
    });
    expect(moved.data).toMatchObject([{ block_number: 1, direction: "in", token_address: plain.address }]);
  });

  it("says where tables begin when another block is wanted", async () => {
    const { code, err } = await graphloom(
      workplace(),
      `data sync --chains anvil --from 3 --to 4 --rpc ${anvil().url} --database ${address}`,
    );
    expect(code).toBe(2);
    expect(err).toContain("the tables of anvil begin at block 0");
  });

  it.each([
    ["PostgreSQL", 5],
    ...(lackOfClickHouse() === undefined ? ([["ClickHouse", 6]] as const) : []),
  ] as const)("pages over one branch in %s while data sync follows a reorganisation, and ends walks on the replaced branch", async (where, account) => {
    const wallet = anvil().account(account);
    const ending = new AbortController();
    const clickHouse = where === "ClickHouse" ? await startRows() : undefined;
    if (clickHouse) {
      const early = `data serve --port 0 --database ${address} --clickhouse ${clickHouse.text}`;
      const { code, err } = await graphloom(workplace(), early);
      expect([code, err]).toEqual([2, expect.stringContaining("has no tables of the data service.")]);
      const away = `--database ${address} --clickhouse http://user:secret@127.0.0.1:1/chains`;
      const down = await graphloom(workplace(), `serve --data platform --data-service here --port 0 ${away}`);
      expect([down.code, down.err]).toEqual([
        3,
        expect.stringMatching(/^ClickHouse cannot be used: ClickHouse does not answer/),
      ]);
    }
    const following = graphloom(
      workplace(),
      `data sync --chains anvil --rpc ${anvil().url} --database ${address} ${clickHouse ? `--clickhouse ${clickHouse.text}` : ""}`,
      { signal: ending.signal },
    );
    const postgres = createPostgresStore(database, 10_000);
    let now = 0;
    const store = clickHouse
      ? createClickHouseStore({
          ...clickHouse,
          database,
          limit: 10_000,
          wait: () => setTimeout(100),
          now: () => now,
        })
      : postgres;
    const service = createDataService({ store, key: dataKey, now: Date.now });
    const page = (query: object): Promise<Asked> =>
      ask(service, "/feeds/wallets/transfers", {
        address: wallet,
        page_size: 2,
        include_unknown_price: true,
        transfer_type: "erc20",
        ...query,
      });
    /** What is expected of the wallet at each block, of any branch, newest first. */
    const expected = new Map<string, readonly string[]>();
    const extend = async (amounts: readonly bigint[]): Promise<string> => {
      for (const amount of amounts) await anvil().send(plain, "transfer", [wallet, amount]);
      const word = `0x${wallet.slice(2).padStart(64, "0")}`;
      const logs = await anvil().rpc<readonly (RawLog & { readonly blockNumber: string })[]>("eth_getLogs", {
        fromBlock: "0x0",
        toBlock: "latest",
        topics: [null, null, word],
      });
      const last = await anvil().blockNumber();
      let hash = "";
      for (let number = last - amounts.length; number <= last; number++) {
        ({ hash } = await anvil().rpc("eth_getBlockByNumber", `0x${number.toString(16)}`, false));
        const rows = logs.filter(({ blockNumber }) => Number(blockNumber) <= number);
        expected.set(hash, rows.map(({ transactionHash }) => transactionHash).reverse());
      }
      return hash;
    };
    const atBlock = (hash: string): Promise<Asked> =>
      until(async () => {
        const found = await page({});
        return found.headers["x-block-hash"] === hash && found;
      });
    let walks = 0;
    let isOver = false;
    onTestFinished(() => {
      isOver = true;
      ending.abort();
    });
    /** Walks over all pages again and again; each walk is whole, or ends with 410. */
    const walking = async (): Promise<void> => {
      while (!isOver) {
        const rows: string[] = [];
        let answer = await page({});
        const hash = answer.headers["x-block-hash"] ?? "";
        for (;;) {
          if (answer.status !== 200) break;
          expect(answer.headers["x-block-hash"]).toBe(hash);
          rows.push(...answer.body.data.map((row: Readonly<Record<string, string>>) => row.transaction_hash));
          const { next_page_token: next } = answer.body.pagination;
          if (next === null) break;
          answer = await page({ page_token: next });
        }
        if (answer.status !== 200) expect(answer.body.error.code).toBe("REORGANISED");
        else if (expected.has(hash)) expect(rows).toEqual(expected.get(hash));
        if (answer.status === 200 && rows.length > 0) walks += 1;
        // Leaves the machine to `data sync`, which runs in the same process.
        await setTimeout(50);
      }
    };
    const before = await anvil().rpc<string>("evm_snapshot");
    await atBlock(await extend([1n, 2n, 3n, 4n, 5n]));
    const walker = walking();
    const { body: kept } = await page({});
    await anvil().rpc("evm_revert", before);
    const head = await extend([6n, 7n, 8n, 9n, 10n, 11n]);
    const newest = await atBlock(head);
    const ended = await page({ page_token: kept.pagination.next_page_token });
    expect([ended.status, ended.body.error?.code]).toEqual([410, "REORGANISED"]);
    expect(newest.body.data.map(({ amount_raw: amount }: { readonly amount_raw: string }) => amount)).toEqual(
      ["11", "10"],
    );
    isOver = true;
    await walker;
    expect(walks).toBeGreaterThan(1);
    const holding = await ask(service, "/feeds/wallets/balances", {
      address: wallet,
      token_address: plain.address,
      include_unknown_price: true,
    });
    expect(holding.body.data).toMatchObject([{ balance_raw: "51", balance_source: "transfers" }]);
    ending.abort();
    expect((await following).err).not.toContain("stopped:");
    // Either database answers the same.
    const other = createDataService({ store: postgres, key: dataKey, now: Date.now });
    for (const [path, query] of [
      ["/blocks/anvil", { number_lte: 12 }],
      ["/feeds/wallets/transfers", { address: anvil().account(0), chains: "anvil", to_block: 12 }],
      ["/feeds/wallets/transfers", { address: anvil().account(3), chains: "anvil", transfer_type: "native" }],
    ] as const) {
      const asked = { ...query, include_unknown_price: true };
      const { body } = await ask(service, path, asked);
      expect(body.data.length).toBeGreaterThan(0);
      expect(body.data).toEqual((await ask(other, path, asked)).body.data);
    }
    if (!clickHouse) return;
    // The tables in PostgreSQL end earlier.
    const shown = { chain: "anvil", number: await anvil().blockNumber() };
    expect((await ask(other, "/blocks/anvil/head")).body.number).toBeLessThan(shown.number);
    expect(await headOfServer(`--database ${address} --clickhouse ${clickHouse.text}`)).toMatchObject(shown);
    // Without a last block, the newest blocks may still be replaced. Once filling has reached one, they may not.
    const openBlocks = async (): Promise<readonly number[]> => {
      const tables = clickHouseTables(clickHouse.address.database, "anvil");
      const places = [...(await markedPlaces(clickHouse.server, tables)).values()];
      expect(places.map(({ next }) => next)).toEqual(places.map(() => shown.number + 1));
      return places.map(({ open }) => open.length);
    };
    const keptFor = async (): Promise<unknown> =>
      (await ask(service, "/blocks/anvil", { number: shown.number })).headers["cache-control"];
    expect(await openBlocks()).not.toContain(0);
    expect(await keptFor()).toBe("private, max-age=2");
    await anvil().mine(70);
    const last = `--to ${shown.number} --rpc ${anvil().url} --database ${address} --clickhouse ${clickHouse.text}`;
    expect((await graphloom(workplace(), `data sync --chains anvil ${last}`)).code).toBe(0);
    expect(await openBlocks()).toEqual([0, 0, 0]);
    // Pages of blocks take what earlier reads have found of open blocks, but not for ever.
    expect(await keptFor()).toBe("private, max-age=2");
    now += 10_000;
    expect(await keptFor()).toBe("private, max-age=86400");
  });
});

/** The head of the chain, as an endpoint of `serve --data-service here` tells it. */
async function headOfServer(place: string): Promise<unknown> {
  const cwd = workplace();
  const ending = new AbortController();
  const headOf = async (said: string): Promise<unknown> => {
    const { api, address: at, token_file: file } = JSON.parse(said);
    const [, token] = /"token": ?"([^"]+)"/.exec(readFileSync(file, "utf8")) ?? [];
    const made = await fetch(`${api}/edge`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "data", product: "data" }),
    });
    const { data } = (await made.json()) as { readonly data: { readonly api_key: string } };
    const answer = await fetch(`${at}/edge/data/blocks/anvil/head?key=${data.api_key}`);
    return answer.json();
  };
  let head: Promise<unknown> | undefined;
  const { code } = await graphloom(cwd, `serve --data platform --data-service here --port 0 ${place}`, {
    env: { HOME: cwd },
    signal: ending.signal,
    onOut: (text) => {
      head ??= headOf(text).finally(() => ending.abort());
      head.catch(() => undefined);
    },
  });
  expect(code).toBe(0);
  return head;
}
