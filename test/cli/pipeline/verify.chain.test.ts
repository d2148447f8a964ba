import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { useAnvil } from "../../support/chain/anvil.js";
import { deployToken } from "../../support/chain/erc20.js";
import { graphloom, type Ran, workplace } from "../harness.js";

const anvil = useAnvil();
let last: number;

const run = (cwd: string, command: string): Promise<Ran> => {
  const [name = "", ...options] = command.split(" ");
  return graphloom(cwd, `pipeline ${name} flow.yaml --rpc anvil=${anvil().url} ${options.join(" ")}`);
};

/** @param end the last block */
function definition(end: number): string {
  return `
name: files
job: true
sources:
  transfers: { type: dataset, dataset_name: anvil.erc20_transfers, start_at: ${last - 3}, end_block: ${end} }
transforms:
  all: { sql: "SELECT id, amount, amount > 100 AS large FROM transfers", primary_key: id }
sinks:
  kept: { type: file, from: all, path: out, finalized: true, blocks_per_file: 2 }
  shown: { type: print, from: all }
`;
}

beforeAll(async () => {
  const token = await deployToken(anvil(), { name: "T", symbol: "T", decimals: 18, supply: 10n ** 30n });
  for (const amount of [5, 500, 50_000]) await anvil().send(token, "transfer", [anvil().account(2), amount]);
  last = await anvil().blockNumber();
});

describe("pipeline verify and repair", () => {
  it("compares the files of a pipeline, and writes again what is missing", async () => {
    const cwd = workplace({ "flow.yaml": definition(last - 2) });
    expect(await run(cwd, "verify")).toMatchObject({
      code: 0,
      out: expect.stringContaining("transfers: nothing was written"),
    });
    expect((await run(cwd, "run")).code).toBe(0);
    writeFileSync(join(cwd, "flow.yaml"), definition(last));
    expect((await run(cwd, "run")).code).toBe(0);
    const clean = await run(cwd, "verify");
    expect([clean.code, clean.err]).toEqual([0, ""]);
    expect(clean.out).toMatch(
      /^kept \(file\)\n {2}transfers: blocks \d+-\d+, 2 ranges, 4 rows: the ledger agrees\n {2}rows: as they should be\nshown \(print\): this version cannot compare it\n$/,
    );
    const folder = join(cwd, "out/transfers");
    const [first = "", second = ""] = readdirSync(folder);
    const whole = readFileSync(join(folder, second));
    rmSync(join(folder, second));
    writeFileSync(join(folder, first), "no parquet");
    const found = await run(cwd, "verify");
    expect(found.code).toBe(4);
    expect(found.out).toContain(`transfers/${second} is missing.`);
    expect(found.out).toContain("rows: 4 missing");
    expect((await run(cwd, "run")).err).toContain(
      "is missing. Put it back, or write it again with: graphloom pipeline repair",
    );
    expect((await run(cwd, "repair --sink kept")).code).toBe(4);
    const mended = await run(cwd, "repair --sink kept --trust-source");
    expect([mended.code, mended.err]).toEqual([0, ""]);
    expect(readFileSync(join(folder, second))).toEqual(whole);
    const { code, out } = await run(cwd, "verify --sink kept --format json");
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      sinks: [{ sink: "kept", rows: { counts: { missing: 0 }, whole: true } }],
    });
  });

  it("says what cannot be sent again, and asks before it sends anything", async () => {
    const cwd = workplace({ "flow.yaml": definition(last - 2) });
    const replay = "replay --sink kept --from-block 0 --to-block 5";
    expect(await run(cwd, replay)).toMatchObject({
      code: 2,
      err: expect.stringContaining("To send the rows, add --yes."),
    });
    expect(await run(cwd, `${replay} --yes`)).toMatchObject({
      code: 1,
      err: "Sink kept writes each file once. Mend its files with: graphloom pipeline repair.\n",
    });
    expect((await run(cwd, "replay --sink other --from-block 0 --to-block 5 --yes")).err).toContain(
      "--sink: there is no sink other. There are kept, shown.",
    );
    expect((await run(cwd, "replay --sink kept --from-block 6 --to-block 5")).err).toContain(
      "--from-block, --to-block: write the numbers of the first and the last block.",
    );
  });

  it("lists the sinks of a pipeline, and shows how to write a range", async () => {
    const cwd = workplace({ "flow.yaml": definition(last - 2) });
    expect(await run(cwd, "verify --sink other")).toMatchObject({
      code: 2,
      err: expect.stringContaining("--sink: there is no sink other. There are kept, shown."),
    });
    expect((await run(cwd, "verify --range 5-1")).err).toContain(
      "--range: write the first and the last block, such as 100-200.",
    );
  });
});
