import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Anvil, type Contract, useAnvil } from "../../support/chain/anvil.js";
import { sharedCache } from "../../support/compiler/shared-cache.js";
import { serverDatabase } from "../../support/database/databases.js";
import { postgresMissing } from "../../support/database/postgres-server.js";
import { graphloom, workplace } from "../harness.js";
import { counterConfig, deployCounter } from "./chains.js";

const anvil = useAnvil();

/** Gives the place where a test stores its entities. */
type Place = () => Promise<string>;

const places: readonly (readonly [name: string, place: Place])[] = [
  ["a folder", async () => "kept/here"],
  ...(postgresMissing === undefined ? [["a server", serverDatabase] as const] : []),
];

if (postgresMissing !== undefined) it.skip(postgresMissing, () => undefined);

/** PGlite and the compiler are started several times. */
const timeout = 240_000;

describe.each(places)("run --database with %s", { timeout }, (_, placeOf) => {
  async function count(contract: Contract, ...numbers: readonly number[]): Promise<void> {
    for (const number of numbers) await anvil().send(contract, "count", [number]);
  }

  function configFor(contract: Contract, value = "event.params.number"): Record<string, string> {
    return { "c.json": counterConfig({ mainnet: contract }, value) };
  }

  it("keeps the entities and continues from there in the next run", async () => {
    const place = await placeOf();
    const contract = await deployCounter(anvil());
    await count(contract, 1, 2);
    const cwd = workplace(configFor(contract));
    const line = `run c.json --rpc ${anvil().url} --database ${place} --output json --entity Counted`;
    const first = await graphloom(cwd, line, { env: sharedCache });
    expect([first.code, first.err]).toEqual([0, ""]);
    await count(contract, 3);
    const second = await graphloom(cwd, line, { env: sharedCache });
    expect(second.code).toBe(0);
    const { last } = JSON.parse(first.out).mainnet.blocks;
    expect(second.err).toBe(`mainnet: continuing after block ${last}\n`);
    const { triggers, entities, blocks } = JSON.parse(second.out).mainnet;
    expect(triggers).toBe(1);
    expect(entities.Counted).toMatchObject([{ number: "1" }, { number: "2" }, { number: "3" }]);
    expect(blocks.last).toBeGreaterThan(last);

    const third = await graphloom(cwd, line, { env: sharedCache });
    expect(JSON.parse(third.out).mainnet).toMatchObject({ triggers: 0, entities, blocks });

    // A different build in the same database is separate, and the first one is kept.
    writeFileSync(
      join(cwd, "c.json"),
      configFor(contract, "event.params.number.plus(event.params.number)")["c.json"] ?? "",
    );
    const other = await graphloom(cwd, line, { env: sharedCache });
    expect(other.err).toBe("");
    expect(JSON.parse(other.out).mainnet).toMatchObject({ triggers: 3, entities });
    writeFileSync(join(cwd, "c.json"), configFor(contract)["c.json"] ?? "");
    expect(JSON.parse((await graphloom(cwd, line, { env: sharedCache })).out).mainnet).toMatchObject({
      triggers: 0,
      entities,
    });
    // It has the name of its configuration in the database.
    const market = await graphloom(cwd, `data serve --market counts --database ${place}`);
    expect([market.code, market.err]).toEqual([
      2,
      expect.stringContaining("Subgraph counts keeps no market: "),
    ]);
  });

  it("does not revert blocks for a node of a different chain, and names both chains", async () => {
    const contract = await deployCounter(anvil());
    await count(contract, 1);
    const cwd = workplace(configFor(contract));
    const place = await placeOf();
    const run = (url: string) =>
      graphloom(cwd, `run c.json --rpc ${url} --database ${place} --output json --entity Counted`, {
        env: sharedCache,
      });
    const first = await run(anvil().url);
    expect(first.code).toBe(0);
    const stranger = await Anvil.start(["--chain-id", "137"]);
    try {
      const { code, err } = await run(stranger.url);
      expect(err).toContain(
        "This node serves chain 137, but the indexed data is from chain 31337. Nothing was reverted",
      );
      expect(code).toBe(3);
    } finally {
      await stranger.stop();
    }
    const { entities } = JSON.parse(first.out).mainnet;
    expect(JSON.parse((await run(anvil().url)).out).mainnet).toMatchObject({ triggers: 0, entities });
  });

  it("reverts blocks that the chain has replaced between two runs", async () => {
    const place = await placeOf();
    const contract = await deployCounter(anvil());
    const cwd = workplace(configFor(contract));
    const line = `run c.json --rpc ${anvil().url} --database ${place} --output json --entity Counted`;
    await count(contract, 1);
    const before = await anvil().snapshot();
    await count(contract, 2, 3);
    expect((await graphloom(cwd, line, { env: sharedCache })).code).toBe(0);
    await anvil().revert(before);
    await count(contract, 4);
    await anvil().mine(3);
    const after = await graphloom(cwd, line, { env: sharedCache });
    expect(JSON.parse(after.out).mainnet.entities.Counted).toMatchObject([{ number: "1" }, { number: "4" }]);
  });

  it("rejects a different first block", async () => {
    const place = await placeOf();
    const contract = await deployCounter(anvil());
    const cwd = workplace(configFor(contract));
    const line = `run c.json --rpc ${anvil().url} --database ${place}`;
    await graphloom(cwd, `${line} --from-block 1`, { env: sharedCache });
    const other = await graphloom(cwd, `${line} --from-block 2`, { env: sharedCache });
    expect([other.code, other.out]).toEqual([2, ""]);
    expect(other.err).toBe(
      "The database has mainnet indexed from block 1, not from block 2.\nPass --from-block 1, or a different --database.\n" +
        "See graphloom run --help.\n",
    );
  });
});

describe("run --database", () => {
  const run = async (cwd: string, place: string) => {
    const contract = await deployCounter(anvil());
    writeFileSync(join(cwd, "c.json"), counterConfig({ mainnet: contract }, "event.params.number"));
    const line = ["run", "c.json", "--rpc", anvil().url, `--database=${place}`].join(" ");
    return graphloom(cwd, line, { env: sharedCache });
  };

  it("rejects a folder with other files, and leaves them alone", async () => {
    const cwd = workplace({ "there/diary.txt": "" });
    const { code, out, err } = await run(cwd, "there");
    expect([code, out]).toEqual([3, ""]);
    expect(err).toBe(
      `${cwd}/there is not a graphloom database folder\nChoose a folder that is empty or does not exist yet.\n`,
    );
    expect(readdirSync(join(cwd, "there"))).toEqual(["diary.txt"]);
  });

  it("reports a server that cannot be reached, without showing the password", async () => {
    const { code, err } = await run(workplace(), "postgres://me:secret@127.0.0.1:1/db");
    expect(code).toBe(3);
    expect(err).toBe(
      "the database cannot be reached: connect ECONNREFUSED 127.0.0.1:1\n" +
        "Start the server, or correct the host and port in the address.\n",
    );
  });

  it("rejects an empty value", async () => {
    const { code, err } = await run(workplace(), "");
    expect([code, err]).toEqual([2, expect.stringContaining("--database requires a folder")]);
  });
});
