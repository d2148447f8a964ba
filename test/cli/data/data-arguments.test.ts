import { readdirSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { graphloom, workplace } from "../harness.js";

it.each([
  ["", "It is empty."],
  ["chain,token\nethereum,0x1\n", 'Line 2: token must be an address, 0x and 40 hex digits, not "0x1".'],
  ["PAR1 and no more of it", "It is not a Parquet file that can be read: "],
])("data import names the mistake in a file, and creates no database for it: %j", async (text, fault) => {
  const cwd = workplace({ "tokens.csv": text });
  const { code, out, err } = await graphloom(cwd, "data import tokens.csv --data platform");
  expect([code, out]).toEqual([1, ""]);
  expect(err).toContain(`tokens.csv cannot be imported, and nothing was written. ${fault}`);
  expect(readdirSync(cwd)).toEqual(["tokens.csv"]);
});

it("data import reads only the parts of a Parquet file that DuckDB needs, even if the file is very large", async () => {
  const cwd = workplace({ "prices.parquet": "PAR1 and no more of it" });
  truncateSync(join(cwd, "prices.parquet"), 300 * 1024 * 1024);
  const { code, err } = await graphloom(cwd, "data import prices.parquet --data platform");
  expect([code, err]).toEqual([1, expect.stringContaining("It is not a Parquet file that can be read: ")]);
});

it("data sync refuses a last block before the first one, and creates no database", async () => {
  const cwd = workplace();
  const { code, err } = await graphloom(cwd, "data sync --chains anvil --from 5 --to 3 --data platform");
  expect(code).toBe(2);
  expect(err).toContain("--to must not be before --from.");
  expect(readdirSync(cwd)).toEqual([]);
});

it.each([
  "serve",
  "audit --chain anvil --rpc http://127.0.0.1:1",
])("data %s creates no database at a mistyped place", async (command) => {
  const cwd = workplace();
  const { code, err } = await graphloom(cwd, `data ${command} --data platfrom`);
  expect([code, err]).toEqual([
    3,
    "The database cannot be used: there is no database of graphloom at this place. graphloom data sync makes one, and fills it.\n",
  ]);
  expect(readdirSync(cwd)).toEqual([]);
});

it.each([
  [
    "sync --chains anvil",
    "No node to read from. Pass --rpc anvil=<url>, or set GRAPHLOOM_RPC_ANVIL. Chains to read: anvil",
  ],
  ["sync --chains anvil --rpc base=http://h", '--rpc: unknown chain "base". Chains to read: anvil'],
  [
    "sync --chains anvil --rpc http://h --clickhouse clickhouse:9000",
    "--clickhouse must be the address of a ClickHouse database: https://user:password@host:8443/database.",
  ],
  ["serve --clickhouse h:8443", "--clickhouse must be the address of a ClickHouse database"],
  ["serve --port 65536", "--port must be 0 to 65535."],
  ["serve --port 1.5", "--port must be 0 to 65535."],
  ["serve --time-limit 0", "--time-limit must be 1 to 600 seconds."],
  ["serve --price-window 0", "--price-window must be a number of minutes above 0."],
  ["serve --prices ftp://h/{tokens}", "--prices must start with http:// or https://"],
  ["serve --prices http://h/prices", "--prices must contain {tokens}"],
  ["serve --public-address data.example.com", "--public-address must start with http:// or https://"],
  ["audit --chain nowhere", '--chain: there is no chain "nowhere". graphloom dataset list shows all chains.'],
  ["audit --chain anvil --wallets 0", "--wallets must be 1 to 10000."],
  ["audit --chain anvil --wallets 1.5", "--wallets must be 1 to 10000."],
  ["audit --chain anvil --tokens 0x1", '--tokens must be addresses, 0x and 40 hex digits, not "0x1".'],
  ["audit --chain anvil", "No node to read from. Pass --rpc anvil=<url>"],
])("data %s is refused, and creates no database", async (command, fault) => {
  const cwd = workplace();
  const { code, err } = await graphloom(cwd, `data ${command} --data platform`);
  expect([code, err]).toEqual([2, expect.stringContaining(fault)]);
  expect(readdirSync(cwd)).toEqual([]);
});

it("data serve requires a database", async () => {
  const { code, err } = await graphloom(workplace(), "data serve");
  expect([code, err]).toEqual([2, expect.stringContaining("No database. Pass --database")]);
});
