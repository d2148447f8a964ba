import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { openDatabase } from "../../../src/store/open.js";
import { useAnvil } from "../../support/chain/anvil.js";
import { deployToken } from "../../support/chain/erc20.js";
import { serverDatabase, world } from "../../support/database/databases.js";
import { postgresMissing } from "../../support/database/postgres-server.js";
import { graphloom, type Ran, workplace } from "../harness.js";

if (postgresMissing !== undefined) it.skip(postgresMissing, () => undefined);

describe.runIf(postgresMissing === undefined)("a pipeline whose table refuses rows", () => {
  const anvil = useAnvil();
  let place: string;
  let database: Database;
  let last: number;

  beforeAll(async () => {
    place = await serverDatabase();
    database = await openDatabase(place, world);
    const token = await deployToken(anvil(), { name: "T", symbol: "T", decimals: 18, supply: 10n ** 30n });
    for (const amount of [5, 500, 50_000, 7])
      await anvil().send(token, "transfer", [anvil().account(2), amount]);
    last = await anvil().blockNumber();
  });
  afterAll(() => database?.close());

  const definition = (onError: string): string => `
name: narrow
job: true
sources:
  transfers: { type: dataset, dataset_name: anvil.erc20_transfers, start_at: ${last - 3}, end_block: ${last} }
transforms:
  all: { sql: "SELECT amount, block_number FROM transfers", primary_key: amount }
sinks:
  stored:
    type: postgres
    from: all
    secret_name: STORE
    table: narrow
    on_error: ${onError}
    schema_override: { amount: "numeric(3,0)" }
${onError === "park" ? "  letters: { type: postgres, from: stored, secret_name: STORE, table: letters }" : ""}
`;

  const pipeline = (cwd: string, line: string, ask?: (question: string) => Promise<string>): Promise<Ran> =>
    graphloom(cwd, `pipeline ${line}`, {
      env: { GRAPHLOOM_SECRET_STORE: place, XDG_STATE_HOME: cwd },
      ...(ask && { ask }),
    });
  const amounts = async (): Promise<readonly (string | null)[]> =>
    (await database.query(SQL`select amount from narrow order by amount`)).map(
      ({ amount }) => amount ?? null,
    );

  it("stops at a row and names it, or parks it until it is retried or dropped", async () => {
    await database.run(SQL`create table narrow (amount numeric(3,0) primary key, block_number bigint,
      constraint odd check (amount <> 7))`);
    const cwd = workplace({ "flow.yaml": definition("stop") });
    const node = `flow.yaml --rpc anvil=${anvil().url}`;
    const stopped = await pipeline(cwd, `run ${node}`);
    expect(stopped.code).toBe(1);
    expect(stopped.err).toContain(
      `Sink stored has stopped: Row amount=50000 of block ${last - 1}, and 1 other row of its batch, is refused: column amount: numeric field overflow. Correct the table or the query, or set on_error: park to keep such rows aside.\n`,
    );
    expect(await amounts()).toEqual([]);

    const parks = workplace({ "flow.yaml": definition("park") });
    const ran = await pipeline(parks, `run ${node}`);
    expect(ran.code).toBe(0);
    expect(ran.err).toContain(
      "stored: rows that do not fit are kept aside. List them with: graphloom pipeline parked\n",
    );
    expect(await amounts()).toEqual(["5", "500"]);
    const letters = await database.query(
      SQL`select sink, row_key::text as key, column_name, reason from letters order by first_block, key desc`,
    );
    expect(letters.map(({ sink, key, column_name: column }) => [sink, key, column])).toEqual([
      ["stored", '{"amount": "7"}', null],
      ["stored", '{"amount": "50000"}', "amount"],
    ]);
    expect(letters.map(({ reason }) => reason)).toEqual([
      expect.stringContaining("odd"),
      "numeric field overflow",
    ]);

    const listed = await pipeline(parks, "parked flow.yaml");
    expect([listed.code, listed.err]).toEqual([0, ""]);
    expect(listed.out).toContain("amount=50000");
    expect(listed.out).toContain("column amount: numeric field overflow");
    const { out } = await pipeline(parks, "park list flow.yaml --output json");
    expect(JSON.parse(out)).toMatchObject([
      { sink: "stored", source: "transfers", operation: "i", key: { amount: "50000" }, droppedAt: null },
      { key: { amount: "7" }, row: { amount: "7", block_number: last } },
    ]);
    const yaml = await pipeline(parks, "parked list flow.yaml --output yaml");
    expect(yaml.out).toContain("- sink: stored\n  source: transfers\n");

    const found = await pipeline(parks, `verify ${node}`);
    expect(found.code).toBe(4);
    expect(found.out).toContain("the ledger agrees");
    expect(found.out).toContain("  rows: as they should be\n  changes that are kept aside: 2 parked\n");

    expect((await pipeline(parks, "parked retry flow.yaml --key other=7")).err).toContain(
      "other is not of the key of sink stored. The key is amount.",
    );
    expect((await pipeline(parks, "parked drop flow.yaml --sink stored --key other=7")).err).toContain(
      "--key: write <column>=<value>. The key of sink stored is amount.",
    );
    await database.run(SQL`alter table narrow drop constraint odd`);
    const retried = await pipeline(parks, "parked retry flow.yaml");
    expect(retried.code).toBe(1);
    expect(retried.out).toMatch(
      /^stored: 1 change written, 1 still parked\n {2}insert amount=50000 \(transfers \d+-\d+\): column amount: numeric field overflow\n$/,
    );
    expect(await amounts()).toEqual(["5", "7", "500"]);

    const drop = "parked drop flow.yaml --sink stored --key amount=50000";
    const questions: string[] = [];
    const answering = (answer: string) => async (question: string) => {
      questions.push(question);
      return answer;
    };
    expect((await pipeline(parks, drop, answering("n"))).code).toBe(1);
    expect(questions).toEqual(["Drop 1 change? It is never written to stored. [y/N] "]);
    const dropped = await pipeline(parks, `${drop} --force`);
    expect([dropped.code, dropped.out]).toEqual([0, "stored: 1 change dropped.\n"]);
    const after = await pipeline(parks, `verify ${node}`);
    expect(after.code).toBe(0);
    expect(after.out).toContain("  changes that are kept aside: 1 dropped by hand\n");
    expect((await pipeline(parks, "parked retry flow.yaml")).out).toBe("Nothing is parked.\n");
    expect((await pipeline(parks, drop)).err).toContain("has parked nothing with this key");
  });

  it("INV-P9: on Flink, a changed sink that graphloom writes stops until the user decides how to continue", async () => {
    const cwd = workplace();
    const run = (least: number, options = ""): Promise<Ran> => {
      writeFileSync(
        join(cwd, "flow.yaml"),
        `
name: divided
job: true
sources:
  transfers:
    type: dataset
    dataset_name: anvil.erc20_transfers
    start_at: ${last - 3}
    end_block: ${last}
    filter: amount > ${least}
transforms:
  all: { sql: "SELECT id, amount FROM transfers", primary_key: id }
sinks:
  ours: { type: postgres, from: transfers, secret_name: STORE, table: divided }
  theirs: { type: blackhole, from: all }
`,
      );
      return pipeline(cwd, `run flow.yaml --rpc anvil=${anvil().url} ${options}`);
    };
    expect((await run(100)).code).toBe(0);
    // Nothing listens there, and neither is asked.
    const refused = await run(6, "--engine flink=http://127.0.0.1:9 --kafka 127.0.0.1:9");
    expect(refused.err).toContain("Sink ours: Its rows are no longer computed as before");
    expect([refused.code, refused.out]).toEqual([1, ""]);
  });

  it("stops after a change of its definition until the user decides how to continue", async () => {
    const cwd = workplace();
    const run = (sql: string, options = "", ask?: (question: string) => Promise<string>): Promise<Ran> => {
      writeFileSync(
        join(cwd, "flow.yaml"),
        `
name: changing
job: true
sources:
  transfers: { type: dataset, dataset_name: anvil.erc20_transfers, start_at: ${last - 3}, end_block: ${last} }
transforms:
  chosen: { sql: ${JSON.stringify(sql)}, primary_key: id }
sinks:
  stored: { type: postgres, from: chosen, secret_name: STORE, table: changing }
`,
      );
      return pipeline(cwd, `run flow.yaml --rpc anvil=${anvil().url} ${options}`, ask);
    };
    const stored = async (): Promise<readonly (string | null)[]> =>
      (await database.query(SQL`select amount from changing order by amount`)).map(
        ({ amount }) => amount ?? null,
      );
    const first = "SELECT id, amount FROM transfers WHERE amount > 100";
    expect((await run(first)).code).toBe(0);
    expect(await stored()).toEqual(["500", "50000"]);
    const layout = await run("select id, amount /* all */ from transfers\n where amount>100");
    expect([layout.code, layout.err]).toEqual([0, ""]);

    const wider = "SELECT id, amount FROM transfers WHERE amount > 6";
    const refused = await run(wider);
    expect(refused.code).toBe(1);
    expect(refused.err).toBe(`Sink stored: Its rows are no longer computed as before: the query of chosen
  --continue  it goes on at its position, and rows that it has stay as they are
  --reset     all rows of its table are deleted, and it is filled from the start of its sources
Nothing was written. Choose what becomes of these sinks, or restore the definition.
`);
    expect(await stored()).toEqual(["500", "50000"]);
    const went = await run(wider, "--continue");
    expect([went.code, went.err]).toEqual([
      0,
      "Sink stored goes on: rows that it has stay as they were computed\n",
    ]);
    expect(await stored()).toEqual(["500", "50000"]);
    expect((await run(wider)).err).toBe("");

    const least = "SELECT id, amount FROM transfers WHERE amount < 100";
    const unasked = await run(least, "--reset");
    expect([unasked.code, unasked.err]).toEqual([
      2,
      expect.stringContaining("Not running in a terminal, so I cannot ask. To empty sinks, add --yes."),
    ]);
    const declined = await run(least, "--reset", async () => "n");
    expect([declined.code, declined.err]).toEqual([0, expect.stringContaining("Nothing was written.\n")]);
    expect(await stored()).toEqual(["500", "50000"]);
    expect((await run(least, "--reset --yes")).code).toBe(0);
    expect(await stored()).toEqual(["5", "7"]);

    const text = "SELECT id, CAST(amount AS VARCHAR) AS amount FROM transfers WHERE amount < 100";
    const retyped = await run(text, "--reset --yes");
    expect(retyped.code).toBe(1);
    expect(retyped.err).toContain("  Its table has another form now: make it again with --recreate\n");
    expect((await run(text, "--recreate --yes")).code).toBe(0);
    expect(await stored()).toEqual(["5", "7"]);
    await database.run(SQL`drop table changing; create table changing (id text primary key, amount text)`);
    expect((await run(text)).code).toBe(0);
    const shorter = "SELECT id, CAST(amount AS VARCHAR) AS amount FROM transfers WHERE amount < 6";
    const others = await run(shorter, "--recreate --yes");
    expect([others.code, others.err]).toEqual([
      1,
      expect.stringContaining(
        "Table public.changing was not made by this pipeline, so it is not dropped. Empty it with --reset, or drop it with: drop table public.changing",
      ),
    ]);
    expect(await stored()).toEqual([]);
  }, 60_000);
});
