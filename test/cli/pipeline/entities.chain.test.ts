import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createProject } from "../../../src/platform/people/projects.js";
import { addVersion } from "../../../src/platform/subgraphs/versions.js";
import { type Database, type Row, SQL } from "../../../src/store/database/database.js";
import { openDatabase } from "../../../src/store/open.js";
import { type Contract, useAnvil } from "../../support/chain/anvil.js";
import { deployToken } from "../../support/chain/erc20.js";
import { sharedCache } from "../../support/compiler/shared-cache.js";
import { serverDatabase, world } from "../../support/database/databases.js";
import { postgresMissing } from "../../support/database/postgres-server.js";
import { graphloom, type Ran, workplace } from "../harness.js";

const main = useAnvil();
const base = useAnvil();
const example = join(import.meta.dirname, "../../../examples/pipelines/holders-of-two-chains.yaml");

/** Transfers, and the last amount of each account. */
function config(token: Contract): string {
  const transfer = {
    entities: {
      Payment: {
        "sender bytes": "event.params.from",
        "recipient bytes": "event.params.to",
        "amount uint256": "event.params.value",
        "place uint256": "event.logIndex",
        "hash bytes": "event.transaction.hash",
      },
      Account: [
        {
          id: "event.params.to.toHexString()",
          explicit_id: true,
          mapping: { "balance uint256": "event.params.value" },
        },
      ],
    },
  };
  const instances = ["anvil", "base"].map((chain) => ({
    abi: "Token",
    address: token.address,
    startBlock: 0,
    chain,
    enrich: { handlers: { Transfer: transfer } },
  }));
  const abi = JSON.parse(token.interface.formatJson());
  return JSON.stringify({ version: "1", name: "usdc/1.0.0", abis: { Token: abi }, instances });
}

if (postgresMissing !== undefined) it.skip(postgresMissing, () => undefined);

describe.runIf(postgresMissing === undefined)("pipeline run with entities of subgraphs", () => {
  let place: string;
  let target: string;
  let database: Database;
  let token: Contract;
  let env: Readonly<Record<string, string>>;
  let definition: string;

  beforeAll(async () => {
    [place, target] = [await serverDatabase(), await serverDatabase()];
    env = { ...sharedCache, GRAPHLOOM_SECRET_HOLDERS_DATABASE: target, GRAPHLOOM_DATABASE: place };
    definition = readFileSync(example, "utf8");
    for (const anvil of [main(), base()])
      token = await deployToken(anvil, { name: "T", symbol: "T", decimals: 18, supply: 10n ** 30n });
    database = await openDatabase(place, world);
    return () => database.close();
  });

  const pay = (anvil: ReturnType<typeof main>, account: number, amount: number) =>
    anvil.send(token, "transfer", [anvil.account(account), amount]);

  /** Indexes both chains up to their heads. */
  async function index(): Promise<void> {
    const cwd = workplace({ "c.json": config(token) });
    const { code, err } = await graphloom(
      cwd,
      `run c.json --rpc anvil=${main().url} --rpc base=${base().url} --database ${place} --output json`,
      { env },
    );
    expect(code, err).toBe(0);
  }

  function pipeline(yaml: string, line = ""): Promise<Ran> {
    return graphloom(workplace({ "flow.yaml": yaml }), `pipeline run flow.yaml ${line}`, { env });
  }

  /** The rows of a table of the target, as lines. */
  async function rows(sql: Parameters<Database["query"]>[0]): Promise<readonly Row[]> {
    const opened = await openDatabase(target, world);
    try {
      return await opened.query(sql);
    } finally {
      await opened.close();
    }
  }

  const job = (yaml: string): string => `job: true\n${yaml}`;

  it("keeps one table of two chains with equal ids, through updates and a reorganisation", async () => {
    await pay(main(), 1, 5);
    await pay(base(), 1, 7);
    await pay(base(), 2, 9);
    await index();
    await createProject(database, { id: "project_1", name: "tests" });
    for (const { deployment, network } of await database.query(
      SQL`select deployment, network from graphloom.deployments`,
    ))
      await addVersion(database, {
        project: "project_1",
        name: network === "base" ? "usdc-base" : "usdc-mainnet",
        version: "1.0.0",
        deployment: deployment ?? "",
        network: network ?? "",
        description: null,
        engine: "embedded",
        bundle: new Uint8Array(),
      });
    const holders = async () =>
      (await rows(SQL`select chain, id, balance from holders where balance < 1000 order by chain, id`)).map(
        ({ chain, id, balance }) => `${chain} ${id} ${balance}`,
      );
    expect(await pipeline(job(definition))).toMatchObject({ code: 0, err: "" });
    const [, one, two, three] = main().accounts;
    expect(await holders()).toEqual([
      `anvil ${one} 5`,
      ...[`${one} 7`, `${two} 9`].sort().map((row) => `base ${row}`),
    ]);

    const before = await base().snapshot();
    await pay(base(), 1, 8);
    await pay(base(), 3, 1);
    await pay(base(), 2, 0);
    await index();
    expect(await pipeline(job(definition))).toMatchObject({ code: 0, err: "" });
    expect(await holders()).toEqual([
      `anvil ${one} 5`,
      ...[`${one} 8`, `${three} 1`].sort().map((row) => `base ${row}`),
    ]);

    await base().revert(before);
    await pay(base(), 2, 3);
    await base().mine(5);
    await index();
    expect(await pipeline(job(definition))).toMatchObject({ code: 0, err: "" });
    expect(await holders()).toEqual([
      `anvil ${one} 5`,
      ...[`${one} 7`, `${two} 3`].sort().map((row) => `base ${row}`),
    ]);
  });

  it("writes the same rows as SQL that decodes the raw logs", async () => {
    const abi =
      '[{"type":"event","name":"Transfer","inputs":[{"name":"from","type":"address","indexed":true},{"name":"to","type":"address","indexed":true},{"name":"value","type":"uint256","indexed":false}]}]';
    const [{ deployment } = { deployment: "" }] = await database.query(
      SQL`select deployment from graphloom.deployments where network = 'anvil'`,
    );
    const yaml = `
name: both
job: true
sources:
  logs: { type: dataset, dataset_name: anvil.raw_logs, start_at: earliest, end_block: ${await main().blockNumber()}, filter: "address = '${token.address}'" }
  payments: { type: subgraph_entity, name: payment, start_at: earliest, subgraphs: [{ name: ${deployment} }] }
transforms:
  decoded:
    sql: SELECT *, evm_log_decode('${abi}', topics, data) AS log FROM logs
    primary_key: id
  transfers:
    sql: |
      SELECT transaction_hash AS hash, log_index AS place, log.event_params[1] AS sender, log.event_params[2] AS recipient,
        to_u256(log.event_params[3]) AS amount, block_number
      FROM decoded WHERE log.name = 'Transfer'
    primary_key: hash, place
  same:
    sql: SELECT hash, place::BIGINT AS place, sender, recipient, amount, block_number FROM payments
    primary_key: hash, place
sinks:
  one: { type: postgres, from: transfers, table: from_logs, secret_name: HOLDERS_DATABASE }
  two: { type: postgres, from: same, table: from_entities, secret_name: HOLDERS_DATABASE }
`;
    expect(await pipeline(yaml, `--rpc anvil=${main().url}`)).toMatchObject({ code: 0, err: "" });
    const columns = SQL`hash, place, sender, recipient, amount, block_number`;
    const decoded = await rows(SQL`select ${columns} from from_logs order by hash, place`);
    expect(decoded.length).toBeGreaterThan(1);
    expect(await rows(SQL`select ${columns} from from_entities order by hash, place`)).toEqual(decoded);
  });
});
