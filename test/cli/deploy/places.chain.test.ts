import { beforeAll, describe, expect, it } from "vitest";
import { openHosting } from "../../../src/platform/open-hosting.js";
import { createSignInCodes } from "../../../src/platform/pages/sign-in/sign-in-codes.js";
import { createAccounts } from "../../../src/platform/people/accounts.js";
import { serverParts } from "../../../src/platform/server-parts.js";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { quoteName } from "../../../src/store/database/quote.js";
import { type Contract, useAnvil } from "../../support/chain/anvil.js";
import { compileContract } from "../../support/chain/solidity.js";
import { onPglite, world } from "../../support/database/databases.js";
import { startPlatform, type TestPlatform } from "../../support/server/platform-server.js";
import { until } from "../../support/until.js";
import { graphloom, type Ran, workplace } from "../harness.js";

const source = `
contract Shares {
  event Taken(uint256 amount);
  function take(uint256 amount) external { emit Taken(amount); }
  function dark(uint256 amount) external pure returns (uint256) { require(amount != 0); return amount; }
}
`;
const { abi, bytecode } = compileContract(source, "Shares");
const anvil = useAnvil();
const { fresh } = onPglite();

const config = (address: string, handlers: Readonly<Record<string, object>>): string =>
  JSON.stringify(
    {
      version: "1",
      enableCallHandlers: true,
      abis: { Shares: abi },
      instances: [{ abi: "Shares", address, startBlock: 0, chain: "mainnet", enrich: { handlers } }],
    },
    null,
    2,
  );
const dividing = {
  "take(uint256)": {
    entities: {
      Share: {
        "one uint256": "call.inputs.amount",
        "part uint256": "BigInt.fromI32(6) / call.inputs.amount",
      },
    },
  },
};
const totalling = {
  Taken: {
    entities: {
      Total: [
        {
          id: '"all"',
          explicit_id: true,
          mapping: { "last uint256": "event.params.amount" },
        },
      ],
    },
  },
};
const asserting = {
  Taken: {
    calls: { dark: { name: "dark", params: "event.params.amount" } },
    entities: { Share: { "text string": '"\\t1" + calls.dark!.toString()' } },
  },
};

describe("the failure of a deployment that was compiled from a configuration", () => {
  let shares: Contract;
  let platform: TestPlatform;
  let database: Database;
  beforeAll(async () => {
    shares = await anvil().deploy(abi, bytecode);
    await anvil().send(shares, "take", [0]);
    database = await fresh();
    platform = await startPlatform(database, {
      nodes: new Map([["mainnet", [anvil().url]]]),
      createHosting: (nodes) => openHosting(database, nodes, { database: "", verify: "bloom" }, { world }),
      parts: serverParts({ codes: createSignInCodes(world), accounts: createAccounts(world) }),
    });
    return () => platform.close();
  });

  async function failed(name: string, cwd: string, from: string) {
    const line = `subgraph deploy ${name} ${from} --wait synced --api-url ${platform.url} --token ${platform.token}`;
    const ran: Ran = await graphloom(cwd, line);
    const [shown] = (await platform.ask(`/subgraphs/${name}`)).json.data;
    // The server collects log lines for a moment before it stores them.
    const log = await until(async () => {
      const { data } = (await platform.ask(`/subgraphs/${name}/logs?log_level=error`)).json;
      return data.results[0]?.text as string | undefined;
    });
    return {
      code: ran.code,
      error: shown.deployments[0].fatal_error as string,
      log,
      err: ran.err,
    };
  }

  it("shows the place of the expression when the mapping reports where it aborted", async () => {
    const text = config(shares.address, asserting);
    const cwd = workplace({ "shares.json": text });
    const { code, error, log, err } = await failed("asserting/1", cwd, "--from-abi shares.json");
    const lines = text.split("\n");
    const line = lines.findIndex((one) => one.includes("calls.dark!"));
    const place = `shares.json:${line + 1}:${(lines[line]?.indexOf("calls.dark!") ?? 0) + 1}`;
    expect(code).toBe(1);
    expect(error).toContain(`(${place}): Mapping aborted at src/shares.ts, line `);
    expect(log).toContain(`(${place}): Mapping aborted at src/shares.ts, line `);
    expect(err).toContain(`--> ${place}`);
  });

  it("shows the place of the call handler when a function that an expression calls fails", async () => {
    const cwd = workplace({ "shares.json": config(shares.address, dividing) });
    const { code, error, log } = await failed("dividing/1", cwd, `--from-abi ${cwd}/shares.json`);
    const place = "shares.json#/instances/0/enrich/handlers/take(uint256)";
    expect(code).toBe(1);
    expect(error).toContain(`(${place}): attempted to divide BigInt \`6\` by zero`);
    expect(log).toContain(`(${place}): attempted to divide`);
  });

  it("shows the history of an entity as the tables have it, with the line that describes the entity", async () => {
    await anvil().send(shares, "take", [5]);
    const { transactionHash } = await anvil().send(shares, "take", [7]);
    const text = config(shares.address, totalling);
    const cwd = workplace({ "shares.json": text });
    const address = `--api-url ${platform.url} --token ${platform.token}`;
    const line = `subgraph deploy totalling/1 --from-abi shares.json --wait synced ${address}`;
    expect((await graphloom(cwd, line)).code).toBe(0);
    const signedIn = await fetch(`${platform.address}/sign-in`, {
      method: "POST",
      body: new URLSearchParams({ key: platform.token }),
      redirect: "manual" as const,
    });
    const cookie = (signedIn.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
    const history = async (table: string, id: string) => {
      const path = `/dashboard/totalling/1/data/${table}/entity?id=${id}`;
      const page = await (await fetch(platform.address + path, { headers: { cookie } })).text();
      const [, body = ""] = /aria-label="History".*?<tbody>(.*?)<\/tbody>/s.exec(page) ?? [];
      return [...body.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = ""]) => {
        const cells = [...row.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell = ""]) =>
          cell.replace(/<[^>]*>/g, ""),
        );
        const [block, time, ...rest] = cells;
        expect(time).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
        return [block, ...rest];
      });
    };
    const [deployment] = await database.query(
      SQL`select d.id from graphloom.deployments d join graphloom.versions v using (deployment) where v.name = 'totalling'`,
    );
    // A deployment counts as synced some blocks before the head.
    const versions = await until(async () => {
      const rows = await database.query(
        SQL`select lower(block_range)::text as block from ${quoteName(`sgd${deployment?.id}`)}.total order by vid desc`,
      );
      return rows.length >= 3 && rows;
    });
    expect(versions.length).toBe(3);
    const at = text.split("\n").findIndex((each) => each.includes('"\\"all\\""')) + 1;
    expect(await history("total", "all")).toEqual(
      versions.map(({ block }, index) => [
        block,
        "not stored",
        index === 2 ? "created" : "taken, last",
        "handleSharesTakenEnriched of Shares",
        `shares.json:${at}`,
      ]),
    );
    expect(await history("taken", `${transactionHash}-0`)).toEqual([
      [
        versions[0]?.block,
        transactionHash,
        "created",
        "handleSharesTakenEnriched of Shares",
        "shares.json#/instances/0/enrich/handlers/Taken",
      ],
    ]);
  });

  it("shows the place in the mapping when a build has no places in a configuration", async () => {
    const cwd = workplace({ "shares.json": config(shares.address, asserting).replace("\\\\t1", "2") });
    expect((await graphloom(cwd, "compile shares.json --build --out out")).code).toBe(0);
    const { error } = await failed("built/1", cwd, "--path out");
    expect(error).toMatch(/ at block \d+ \(src\/shares\.ts:\d+:\d+\): Mapping aborted/);
  });
});
