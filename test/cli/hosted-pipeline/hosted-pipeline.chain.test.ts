import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Choice, Prompts } from "../../../src/cli/terminal/prompts/prompts.js";
import { addTask, endTask, holdTask } from "../../../src/platform/pipelines/tasks/task-rows.js";
import type { Database } from "../../../src/store/database/database.js";
import { type Contract, useAnvil } from "../../support/chain/anvil.js";
import { deployToken } from "../../support/chain/erc20.js";
import { describeDatabase } from "../../support/database/databases.js";
import { plant, useFolder } from "../../support/folder.js";
import { startPipelineServer } from "../../support/server/pipeline-server.js";
import type { TestPlatform } from "../../support/server/platform-server.js";
import { untilHolds } from "../../support/until.js";
import { graphloom } from "../harness.js";

const definition = (
  query = "SELECT id, amount FROM transfers WHERE amount > 100",
): string => `# of large amounts
name: large
apiVersion: 3
resource_size: xs
sources:
  transfers: { type: dataset, dataset_name: anvil.erc20_transfers, version: 1.2.0, start_at: earliest }
transforms:
  chosen: { sql: "${query}", primary_key: id }
sinks:
  stored: { type: blackhole, from: chosen }
`;

describeDatabase("the commands of pipelines", false, (databases) => {
  const anvil = useAnvil();
  const folder = useFolder();
  let database: Database;
  let server: TestPlatform;
  let token: Contract;

  beforeAll(async () => {
    token = await deployToken(anvil(), { name: "T", symbol: "T", decimals: 18, supply: 10n ** 30n });
    await anvil().send(token, "transfer", [anvil().account(2), 500]);
    database = await databases.fresh();
    server = await startPipelineServer(database, { nodes: { anvil: anvil().url } });
    plant(folder, { "large.yaml": definition() });
  });
  afterAll(() => server?.close());

  const run = (line: string) =>
    graphloom(folder, line, { env: { GRAPHLOOM_API_URL: server.url, GRAPHLOOM_TOKEN: server.token } });
  const done = async (line: string) => {
    const { code, out, err } = await run(line);
    expect([line, code, err]).toEqual([line, 0, ""]);
    return out;
  };
  /** Asks the server, which takes less of the machine than a command each time. */
  const running = async () => {
    await untilHolds(async () => {
      const { data } = (await server.ask("/pipelines/large/info")).json;
      // A pipeline runs a moment before its sinks have figures.
      const sinks = { stored: { rows: expect.any(Number) } };
      expect(data).toMatchObject({ runtime_status: "RUNNING", request: null, sinks });
    });
    const shown = await done("pipeline info large");
    expect(shown).toContain("ACTIVE, RUNNING");
    expect(shown).not.toContain("Under way");
  };

  it("the commands create a pipeline, change it, and leave it when nothing changes", async () => {
    const created = await done("pipeline apply large.yaml");
    expect(created).toBe("Created large, version 1.\nWatch it: graphloom pipeline monitor large\n");
    expect(await done("pipeline apply large.yaml")).toMatch(/^large is already .*version 1\)\.\n$/);
    await running();
    plant(folder, { "large.yaml": definition("SELECT id, amount FROM transfers WHERE amount > 200") });
    expect(await done("pipeline apply large.yaml")).toContain("Updated large to version 2.\n");
    await running();
  });

  it("the commands report each mistake at its line, and change nothing", async () => {
    plant(folder, {
      "wrong.yaml": definition()
        .replace("from: chosen", "from: chosne")
        .replace("anvil.erc20_transfers", "anvil.erc20"),
    });
    const { code, out, err } = await run("pipeline apply wrong.yaml");
    expect([code, out]).toEqual([1, ""]);
    expect(err).toMatch(/unknown-node[\s\S]*wrong\.yaml:10:/);
    expect(err).toMatch(/wrong\.yaml:6:/);
    expect(await done("pipeline info large")).toMatch(/^Version +2$/m);
  });

  it("the commands show a pipeline by its name, or by its file", async () => {
    for (const of of ["large", "large.yaml", "./large.yaml"]) {
      const shown = JSON.parse(await done(`pipeline get ${of} --output json`));
      expect(shown).toMatchObject({ name: "large", version: 2, desired_status: "ACTIVE" });
    }
    expect(JSON.parse(await done("stream state large --output json"))).toMatchObject({
      stored: { rows: expect.any(Number) },
    });
    expect(await done("stream state large")).toContain("rows:");
    expect(await done("pipeline get large --definition")).toBe(
      readFileSync(join(folder, "large.yaml"), "utf8"),
    );
    expect(await done("pipeline get large --definition -v 1")).toBe(definition());
    expect(await done("pipeline list")).toMatch(/^NAME .*\nlarge +2 +ACTIVE +xs /);
    const [listed] = JSON.parse(await done("pipeline list --output json --include-runtime-details"));
    expect(listed).toMatchObject({ name: "large", runtime_status: "RUNNING", sinks: { stored: {} } });
    // A pipeline runs a moment before its nodes have figures.
    await untilHolds(async () => {
      const once = await done("pipeline monitor large --max-refreshes 1");
      expect(once).toMatch(/^Status +ACTIVE, RUNNING$/m);
      expect(once).toMatch(/^ {2}chosen \(sql\): \d+ rows?, [\d.]+ rows\/s$/m);
      expect(once).toMatch(/stored: (?:idle|progressing), \d row/);
    });
  });

  it("the commands export a definition that applies again unchanged", async () => {
    const exported = await done("pipeline export large");
    expect(await done("pipeline export --all")).toBe(exported);
    plant(folder, { "exported.yaml": exported });
    expect(await done("pipeline apply exported.yaml")).toContain("large is already");
    const { code, err } = await run("pipeline export");
    expect([code, err]).toEqual([2, expect.stringContaining("--all")]);
  });

  it("the commands pause, stop, start, restart and resize a pipeline", async () => {
    expect(await done("pipeline pause large")).toBe("Paused large.\n");
    expect(await done("pipeline info large.yaml")).toMatch(/^Status +PAUSED, TERMINATED$/m);
    expect(await done("pipeline start large")).toBe("Started large.\n");
    await running();
    expect(await done("pipeline stop large")).toBe("Stopped large.\n");
    expect(await done("pipeline info large")).toMatch(/^Status +INACTIVE, TERMINATED$/m);
    expect(await done("pipeline start large.yaml")).toBe("Started large.\n");
    await running();
    expect(await done("pipeline restart large --from-snapshot none")).toBe("Restarted large.\n");
    await running();
    expect(await done("pipeline resize large s")).toBe("Resized large to s, version 3.\n");
    expect(await done("pipeline resize large s")).toBe("large already has the size s.\n");
    await running();
  });

  it("the command line compares and mends a hosted pipeline's sinks by its name, and those of a local pipeline by its file", async () => {
    expect(await done("pipeline verify large")).toBe("stored (blackhole): this version cannot compare it\n");
    expect(JSON.parse(await done("pipeline verify large --format json"))).toMatchObject({
      mended: false,
      sinks: [{ sink: "stored", ledger: false }],
    });
    expect(await done("pipeline parked large")).toBe("Nothing is parked.\n");
    const here = await run("pipeline verify large.yaml");
    expect([here.code, here.err]).toEqual([2, expect.stringContaining("Pass --rpc anvil=<url>")]);
    const useless = await run("pipeline verify large --rpc anvil=http://127.0.0.1:1");
    expect([useless.code, useless.err]).toEqual([2, expect.stringContaining("./large")]);
    const isRunning = await run("pipeline repair large --sink stored");
    expect([isRunning.code, isRunning.err]).toEqual([3, expect.stringContaining("pipeline pause large")]);
    await done("pipeline pause large");
    expect(await done("pipeline park retry large")).toBe("Nothing is parked.\n");
    const replay = await run("pipeline replay large --sink stored --from-block 0 --to-block 1 --yes");
    expect([replay.code, replay.err]).toEqual([1, "Sink stored keeps nothing.\n"]);
    const undroppable = await run("pipeline parked drop large --sink stored --key id=1 --force");
    expect([undroppable.code, undroppable.err]).toEqual([1, expect.stringContaining("parked nothing")]);
  });

  it("the command line cancels a task on a pipeline's sinks, also if another server runs it", async () => {
    const none = await run("pipeline cancel-task large");
    expect([none.code, none.err]).toEqual([1, "No task of large is under way.\n"]);
    const named = { project: server.project, name: "large" };
    const id = "00000000-0000-4000-8000-000000000001";
    // As if another server did it.
    await addTask(database, named, id, { kind: "verify", sink: "stored" }, 60_000);
    for (const of of ["large", "large.yaml"])
      expect(await done(`pipeline cancel-task ${of}`)).toBe(
        "The verify of stored ends within seconds. What it has done stays done.\n",
      );
    expect(await holdTask(database, named, id, "stored: read transfers until block 7", 60_000)).toBe(
      "cancelled",
    );
    await endTask(database, named, id, {});
    expect((await run("pipeline cancel-task large")).code).toBe(1);
  });

  it("the commands let people choose where a pipeline continues", async () => {
    const env = { GRAPHLOOM_API_URL: server.url, GRAPHLOOM_TOKEN: server.token };
    const taken = await done("pipeline snapshots create large");
    const [, id = ""] = /^Took the snapshot (snapshot_[0-9a-f]+) of large\.$/m.exec(taken) ?? [];
    expect(await done("pipeline snapshots list large -v 3")).toMatch(
      new RegExp(`^ID .*\\n${id} +3 +\\S+ +request`),
    );
    for (const line of [
      "pipeline restart large --from-snapshot",
      "pipeline apply large.yaml --from-snapshot",
    ]) {
      const { code, err } = await run(line);
      expect([code, err]).toEqual([2, expect.stringContaining("new, last, none, or the id of a snapshot")]);
    }
    const asked: (readonly Choice[])[] = [];
    const prompts = {
      choose: async (_, choices) => {
        asked.push(choices);
        return id;
      },
    } as Pick<Prompts, "choose"> as Prompts;
    const restarted = await graphloom(folder, "pipeline restart large --from-snapshot", { env, prompts });
    expect([restarted.code, restarted.out, restarted.err]).toEqual([0, "Restarted large.\n", ""]);
    expect(asked[0]?.slice(0, 3)).toMatchObject([
      { value: "last" },
      { value: "none" },
      { value: id, label: expect.stringMatching(/version 3, request$/) },
    ]);
    await running();
    plant(folder, { "large.yaml": definition("SELECT id, amount FROM transfers WHERE amount > 300") });
    const applied = await graphloom(folder, "pipeline apply large.yaml --from-snapshot", { env, prompts });
    expect([applied.code, applied.err]).toEqual([0, ""]);
    expect(asked).toHaveLength(2);
  });

  it("the commands delete a pipeline, which is unknown afterwards", async () => {
    expect(await run("pipeline delete large")).toMatchObject({
      code: 2,
      err: expect.stringContaining("--force"),
    });
    // Scripts for streams know no such option.
    expect(await done("stream delete large")).toBe("Deleted large.\n");
    for (const command of ["get", "info", "monitor", "pause", "start", "stop", "export"]) {
      const { code, out, err } = await run(`pipeline ${command} large`);
      expect([command, code, out, err]).toEqual([
        command,
        3,
        "",
        expect.stringContaining('no pipeline "large"'),
      ]);
    }
    expect(await done("pipeline list")).toBe("There are no pipelines yet.\n");
  });
});
