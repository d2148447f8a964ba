import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openOwnService } from "../../../src/cli/serve/open-own-service.js";
import type { PipelineTaskResult } from "../../../src/pipelines/host/pipeline-engine.js";
import { parkedPage } from "../../../src/platform/pages/pipelines/parked-pages.js";
import { ledgerSection } from "../../../src/platform/pages/pipelines/task-pages.js";
import { holdPipeline, observePipeline } from "../../../src/platform/pipelines/pipeline-leases.js";
import { writePipelineLines } from "../../../src/platform/pipelines/pipeline-lines.js";
import {
  addPipeline,
  addPipelineVersion,
  changePipeline,
  findPipeline,
} from "../../../src/platform/pipelines/pipeline-rows.js";
import { addSnapshot } from "../../../src/platform/pipelines/snapshot-rows.js";
import { addTask, endTask, holdTask, listTasks } from "../../../src/platform/pipelines/tasks/task-rows.js";
import { addVersion, deleteVersion } from "../../../src/platform/subgraphs/versions.js";
import { Nodes } from "../../../src/rpc/nodes.js";
import { SQL } from "../../../src/store/database/database.js";
import { bigInt, set } from "../../runtime/store/values.js";
import { makeChain, place } from "../../support/data/made-chain.js";
import { makeMarket } from "../../support/data/made-market.js";
import { onEither } from "../../support/database/databases.js";
import { indexedSubgraph } from "../../support/pipelines/indexed-subgraph.js";
import { axeFindings } from "../../support/server/axe.js";
import { browserMissing, openBrowser } from "../../support/server/browser.js";
import { untilHolds } from "../../support/until.js";
import { realWorld } from "../../support/worlds.js";
import { startPages } from "./harness.js";

const databases = onEither();
let pages: Awaited<ReturnType<typeof startPages>>;
let editor: string;
let viewer: string;

beforeAll(async () => {
  const database = await databases.fresh();
  const dataService = openOwnService(
    database,
    new Uint8Array(32),
    new Nodes(new Map(), realWorld),
    new AbortController().signal,
  );
  pages = await startPages(database, { runsPipelines: true, dataService });
  [editor, viewer] = [await signIn("gl_editor"), await signIn("gl_viewer")];
});
afterAll(async () => {
  await pages.platform.database.run(SQL`drop schema if exists graphloom_data_ethereum cascade`);
  await pages.stop();
});

const ask = (path: string, cookie = viewer, init: RequestInit = {}) =>
  fetch(pages.address + path, { redirect: "manual", ...init, headers: { cookie, ...init.headers } });

const send = (path: string, fields: Record<string, string> = {}, cookie = editor, headers = {}) =>
  ask(path, cookie, { method: "POST", body: new URLSearchParams(fields), headers });

async function signIn(key: string): Promise<string> {
  const answer = await send("/sign-in", { key }, "");
  return (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
}

const textOf = async (path: string, cookie = viewer) => (await ask(path, cookie)).text();

/** What the form on a page sends if nothing is changed. */
function fieldsOf(page: string): Record<string, string> {
  const area = (name: string) =>
    new RegExp(`<textarea[^>]* name="${name}"[^>]*>\n([^<]*)</textarea>`).exec(page)?.[1];
  const plain = (text = "") =>
    text.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
  return {
    text: plain(area("text")),
    variables: plain(area("variables")),
    from: /name="from" value="(\d*)"/.exec(page)?.[1] ?? "",
  };
}

const definition = (name: string) => `
name: ${name}
sources:
  transfers: { type: dataset, dataset_name: base.erc20_transfers, start_at: latest }
sinks:
  dropped: { type: blackhole, from: transfers } # <b>all</b> of them
`;

/** Plants a pipeline that is stopped. */
async function plant(name: string): Promise<string> {
  const { database } = pages.platform;
  const named = { project: "project_1", name };
  await addPipeline(database, { ...named, form: "pipeline", isJob: false, status: "INACTIVE" });
  const node = { columns: [], key: [] };
  await addPipelineVersion(database, named, {
    definition: definition(name),
    variables: {},
    abis: [],
    size: "s",
    description: null,
    document: { name, sources: { transfers: { type: "dataset", dataset_name: "base.erc20_transfers" } } },
    topology: [
      { ...node, name: "transfers", kind: "source", type: "dataset", reads: [] },
      { ...node, name: "large", kind: "transform", type: "sql", reads: ["transfers"] },
      { ...node, name: "dropped", kind: "sink", type: "blackhole", reads: ["large"] },
    ],
  });
  return `/pipelines/${name}`;
}

it("the page of the data service shows where the data service has indexed each category", async () => {
  const { database } = pages.platform;
  expect(await textOf("/data")).toContain("No chain has tables yet.");
  const made = { chain: "ethereum", firstBlock: 5, head: 1_009, final: 1_003 };
  await makeChain(database, made);
  await place(database, made, "transfers", 1_007);
  const text = await textOf("/data", await signIn("gl_foreign"));
  const rows = [...text.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = ""]) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/g)].map(([, cell]) => cell),
  );
  expect(rows.slice(1).map((row) => row.toSpliced(5, 1))).toEqual([
    ["ethereum", "blocks", "5", "1,009", "1,003", "no", "tag"],
    ["ethereum", "transfers", "5", "1,007", "1,003", "no", "tag"],
    ["ethereum", "natives of transactions", "5", "1,009", "1,003", "no", "tag"],
  ]);
  expect((await ask("/data", "")).status).toBe(303);
  const market = await makeMarket(database);
  await market.commit(3);
  const { deployment } = market.deployment;
  const shown = { project: "project_1", name: "market", version: "1.0.0" };
  const kept = { bundle: new Uint8Array(), network: "matic", engine: "embedded", description: null };
  await addVersion(database, { ...shown, ...kept, deployment });
  const row =
    '<th scope="row">market/1.0.0</th><td>polygon</td><td>healthy</td><td class="number">0</td><td class="number">3</td>';
  expect(await textOf("/data")).toContain(row);
  expect(await textOf("/data", await signIn("gl_foreign"))).not.toContain("market/1.0.0");
  await deleteVersion(database, shown);
});

it("the pages of pipelines show people with the right role how to make a first pipeline", async () => {
  expect(await textOf("/pipelines", editor)).toContain('href="/new-pipeline"');
  const seen = await textOf("/pipelines");
  expect(seen).toContain("No pipelines yet");
  expect(seen).not.toContain("/new-pipeline");
  expect((await ask("/new-pipeline")).status).toBe(403);
});

it("the pages of pipelines make a pipeline from the text that the form begins with, and say why it fails", async () => {
  const made = await send("/new-pipeline", fieldsOf(await textOf("/new-pipeline", editor)));
  expect([made.status, made.headers.get("location")]).toEqual([303, "/pipelines/transfers"]);
  // The server has no node of the chain.
  const page = await untilHolds(async () => {
    const text = await textOf("/pipelines/transfers");
    expect(text).toContain('<span class="state bad">failed</span>');
    // The last lines of its log come a moment later.
    expect(text).toMatch(/<td[^>]*>error<\/td><td>Ended: /);
    return text;
  });
  expect(page).toMatch(/id="failure".*no node of base/s);
  await plant("another");
  const list = await textOf("/pipelines");
  expect(list).toContain("<title>(1 failed) Pipelines");
  expect([...list.matchAll(/id="card-(\w+)"/g)].map(([, name]) => name)).toEqual(["transfers", "another"]);
});

it("the pages of pipelines show the typed text again with every mistake at its line", async () => {
  const text = `${definition("wrong").replace("from: transfers", "from: <i>nothing</i>")}transforms: []\n`;
  const typed = { text: text.replaceAll("\n", "\r\n"), variables: "A=1\nB=2", size: "m" };
  const answer = await send("/new-pipeline", typed);
  const page = await answer.text();
  expect(answer.status).toBe(400);
  expect(fieldsOf(page)).toMatchObject({ text, variables: "A=1\nB=2" });
  expect(page).toContain("<option selected>m</option>");
  expect(page).toContain("Line 6, column");
  expect(page).toContain('<b class="bad">● 6</b>');
  expect(page).not.toContain("<i>nothing");
  expect((await ask("/pipelines/wrong")).status).toBe(404);
  const unnamed = await send("/new-pipeline", { ...typed, variables: "no value" });
  expect([unnamed.status, await unnamed.text()]).toEqual([400, expect.stringContaining("NAME=value")]);
});

it("the pages of pipelines save a definition, but not over another person's change", async () => {
  const own = await plant("changed");
  const fields = fieldsOf(await textOf(`${own}/edit`, editor));
  expect(fields).toEqual({ text: definition("changed"), variables: "", from: "1" });
  const values = 'START=latest\nTWO="a\\nb"';
  const text = fields.text?.replace("start_at: latest", `start_at: "\${START}"`) ?? "";
  expect((await send(`${own}/edit`, { ...fields, text, variables: values })).status).toBe(303);
  expect(fieldsOf(await textOf(`${own}/edit`, editor))).toEqual({ text, variables: values, from: "2" });
  const late = await send(`${own}/edit`, { ...fields, text: "name: mine" });
  expect(late.status).toBe(409);
  expect(fieldsOf(await late.text())).toEqual({ text: "name: mine", variables: "", from: "2" });
  expect(await textOf(`${own}/versions/1`)).toContain("start_at: latest");
});

it("the pages of pipelines show sinks, their rows and why they stall, and escape texts of users", async () => {
  const own = await plant("stalling");
  const { database } = pages.platform;
  const named = { project: "project_1", name: "stalling" };
  // As if another server ran it.
  await changePipeline(database, named, { status: "ACTIVE", request: null });
  const other = "00000000-0000-4000-8000-000000000001";
  expect(await holdPipeline(database, named, { holder: other, time: 600_000 })).toBe(true);
  const { generation = 0 } = (await findPipeline(database, named)) ?? {};
  const dropped = {
    state: "stalled",
    rows: 1204,
    blocks: { transfers: 77 },
    rate: 1234,
    lag: { transfers: 1300 },
    why: "<script>away",
    since: 0,
    retryAt: 0,
    parked: 3,
    misses: 34,
  } as const;
  await observePipeline(database, named, {
    generation,
    runtime: "FAILING",
    error: null,
    sinks: { dropped },
    nodes: { transfers: { rows: 9_876, rate: 2_222 }, large: { rows: 5_432, rate: 1_111 } },
  });
  await writePipelineLines(database, named, [{ level: "warn", text: "<script>\u001b[31m", timestamp: 0 }]);
  const page = await textOf(own);
  expect(page).toContain("1,204 rows, block 77");
  expect(page).toContain("Next try at");
  expect(page).toContain("Keys that lookups have not found: 34");
  // On the edges out of the source and into the sink, and in the table.
  expect(page).toMatch(/>2,222 rows\/s<\/text>.*>1,300 behind<\/text>.*<td class="number">2,222<\/td>/s);
  expect(page).toContain("9,876 rows</text>");
  expect(page).toMatch(/id="node-large".*?5,432.*?1,111/s);
  expect(page).toMatch(/>1,234 rows\/s<\/text>.*>1,300 behind<\/text>.*<td class="number">1,234<\/td>/s);
  expect(page).toMatch(/since <time datetime="1970-01-01T00:00:00/);
  expect(page).toContain("\\u001b[31m");
  for (const text of [page, await textOf("/pipelines"), await textOf(`${own}/log`)])
    expect([text.includes("&#60;script&#62;"), text.includes("<script>")]).toEqual([true, false]);
});

it("the pages of pipelines let Editors start, pause, stop and delete pipelines, and show nothing to other projects", async () => {
  const own = await plant("acted");
  const foreign = await signIn("gl_foreign");
  for (const path of ["", "/log", "/versions/1", "/rows", "/snapshots"]) {
    expect([path, (await ask(own + path)).status]).toEqual([path, 200]);
    expect([path, (await ask(own + path, foreign)).status]).toEqual([path, 404]);
  }
  expect(await textOf("/pipelines", foreign)).not.toContain("acted");
  const fields = { name: "acted", sink: "dropped", "key:id": "a", from: "1", to: "2" };
  for (const action of [
    "start",
    "pause",
    "stop",
    "restart",
    "cancel",
    "delete",
    "edit",
    "repair",
    "replay",
    "parked/retry",
    "parked/drop",
    "snapshots",
    "snapshots/one/restore",
  ]) {
    expect([action, (await send(`${own}/${action}`, fields, viewer)).status]).toEqual([action, 403]);
    expect([action, (await send(`${own}/${action}`, fields, foreign)).status]).toEqual([action, 404]);
    const elsewhere = { "sec-fetch-site": "cross-site" };
    const forged = await send(`${own}/${action}`, fields, editor, elsewhere);
    expect([action, forged.status]).toEqual([action, 403]);
  }
  expect(await textOf(own)).not.toMatch(/action="\/pipelines\/acted\/(?!verify)/);
  expect((await send(`${own}/pause`)).status).toBe(303);
  expect(await textOf(own, editor)).toContain('<span class="state soft">paused</span>');
  const kept = await send(`${own}/delete`, { name: "other" });
  expect([kept.status, await kept.text()]).toEqual([400, expect.stringContaining("Nothing was deleted")]);
  const gone = await send(`${own}/delete`, { name: "acted" });
  expect([gone.status, gone.headers.get("location")]).toEqual([303, "/pipelines"]);
  expect(await textOf(own)).toContain('href="/pipelines"');
});

/** A result that a comparison may have, with texts that are no markup. */
const compared: PipelineTaskResult = {
  kind: "verify",
  agrees: false,
  sinks: [
    {
      sink: "dropped",
      type: "postgres",
      ledger: true,
      unproved: ["<i>not proved"],
      parked: [],
      sources: [
        {
          source: "transfers",
          compared: "ranges",
          range: { from: 1, to: 9 },
          ranges: 2,
          rows: 7,
          open: 0,
          differing: [{ from: 1, to: 4, recorded: 3, found: 4, isMended: false }],
        },
      ],
      rows: {
        counts: { missing: 1, altered: 0, doubled: 0, foreign: 0 },
        notes: [],
        strays: [],
        whole: true,
        first: [{ kind: "missing", key: { id: "<b>x" } }],
      },
    },
  ],
};

it("the pages of pipelines compare a sink's rows on request, and show the result and how to repair the sink", async () => {
  const own = await plant("asked");
  const { database } = pages.platform;
  const named = { project: "project_1", name: "asked" };
  const id = "00000000-0000-4000-8000-000000000007";
  await addTask(database, named, id, { kind: "verify", sink: "dropped" }, 60_000);
  const said = "dropped: read transfers until block 9";
  expect(await holdTask(database, named, id, said, 60_000)).toBe("held");
  expect(await holdTask(database, { ...named, project: "project_2" }, id, "another's", 60_000)).toBe("gone");
  expect(await textOf(own)).toMatch(/verify of dropped<\/a>.*under way.*until block 9/s);
  const busy = await send(`${own}/verify`, {}, viewer);
  expect([busy.status, await busy.text()]).toEqual([409, expect.stringContaining("already")]);
  expect(await textOf(`${own}/tasks/${id}`)).toContain(`action="${own}/tasks/${id}/cancel"`);
  expect((await send(`${own}/tasks/${id}/cancel`, {}, await signIn("gl_foreign"))).status).toBe(404);
  expect((await send(`${own}/tasks/${id}/cancel`, {}, viewer)).status).toBe(303);
  expect(await holdTask(database, named, id, undefined, 60_000)).toBe("cancelled");
  const ending = await textOf(`${own}/tasks/${id}`);
  expect([ending.includes("being cancelled"), ending.includes('id="cancel"')]).toEqual([true, false]);
  await endTask(database, named, id, {});
  expect(await textOf(`${own}/tasks/${id}`)).toMatch(
    /It was cancelled\. .*It said last: dropped: read transfers until/,
  );
  const over = await send(`${own}/tasks/${id}/cancel`);
  expect([over.status, await over.text()]).toEqual([422, expect.stringContaining("has ended")]);
  const mending = "00000000-0000-4000-8000-00000000000b";
  await addTask(database, named, mending, { kind: "repair", sink: "dropped", trustsSource: false }, 60_000);
  expect(await textOf(`${own}/tasks/${mending}`)).not.toContain('id="cancel"');
  expect((await send(`${own}/tasks/${mending}/cancel`, {}, viewer)).status).toBe(403);
  expect(await textOf(`${own}/tasks/${mending}`, editor)).toContain("Cancel repair of dropped");
  await endTask(database, named, mending, {});
  // What was done before the server heard that it is to end counts.
  await endTask(database, named, id, { result: compared });
  const page = await textOf(`${own}/tasks/${id}`);
  expect(page).toMatch(/1–4: 3 rows in the ledger, 4 in the source.*1 missing.*id=&#60;b&#62;x/s);
  expect(page).toContain("&#60;i&#62;not proved");
  expect(page).not.toContain("Repair");
  const early = await textOf(`${own}/tasks/${id}`, editor);
  // The server may have seen by now that the pipeline does not run: then it can be repaired at once.
  const asksToPause = early.includes("since no one else may write its sinks");
  expect(early.includes(`${own}/repair`)).toBe(!asksToPause);
  await send(`${own}/pause`);
  await untilHolds(async () =>
    expect(await textOf(`${own}/tasks/${id}`, editor)).toContain(`action="${own}/repair"`),
  );

  const asked = await send(`${own}/verify`, { sink: "dropped" }, viewer);
  expect([asked.status, asked.headers.get("location")]).toEqual([
    303,
    expect.stringMatching(/^\/pipelines\/asked\/tasks\/[0-9a-f-]{36}$/),
  ]);
  await untilHolds(async () =>
    expect(await textOf(asked.headers.get("location") ?? "")).toContain("This version cannot compare it"),
  );
  expect(await textOf(`${own}/parked`)).toContain("Nothing is parked.");
  expect((await ask(`${own}/tasks/none`)).status).toBe(404);
});

it("the pages of pipelines count rows to send again, and send them after the user confirms", async () => {
  const own = await plant("resent");
  const { database } = pages.platform;
  const named = { project: "project_1", name: "resent" };
  const running = await findPipeline(database, named);
  if (!running) throw new Error("it is there");
  const { markup } = ledgerSection({ ...running, runtime: "RUNNING" }, ["dropped"], [], true);
  expect(markup).toMatch(/To send rows again, pause/);
  await send(`${own}/pause`);
  await untilHolds(async () => expect(await textOf(own, editor)).toContain(`action="${own}/replay"`));
  expect(await textOf(own)).not.toContain(`action="${own}/replay"`);
  const fields = { sink: "dropped", from: "7", to: "9" };
  expect((await send(`${own}/replay`, fields, viewer)).status).toBe(403);
  for (const [wrong, why] of [
    [{ from: "7.5" }, "Write the first and the last block"],
    [{ to: "6" }, "ends before it begins"],
    [{ sink: "other" }, "no such sink"],
  ] as const) {
    const refused = await send(`${own}/replay`, { ...fields, ...wrong });
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining(why)]);
  }
  const asked = await send(`${own}/replay`, fields);
  expect([asked.status, asked.headers.get("location")]).toEqual([303, expect.stringContaining("/tasks/")]);
  const path = asked.headers.get("location") ?? "";
  // A sink that keeps nothing gets nothing again.
  await untilHolds(async () => expect(await textOf(path)).toContain("keeps nothing"));
  const id = "00000000-0000-4000-8000-00000000000a";
  await addTask(
    database,
    named,
    id,
    { kind: "replay", sink: "dropped", range: { from: 7, to: 9 }, sends: false },
    60_000,
  );
  await endTask(database, named, id, { result: { kind: "replay", rows: 12, overtaken: 0, sent: false } });
  const counted = await textOf(`${own}/tasks/${id}`, editor);
  expect(counted).toMatch(
    /12 rows of blocks 7 to 9 were counted.*name="send" value="yes".*Send 12 rows again/s,
  );
  expect(await textOf(`${own}/tasks/${id}`)).not.toContain("Send 12 rows");
  const sent = await send(`${own}/replay`, { ...fields, send: "yes" });
  const [row] = await listTasks(database, named);
  expect([sent.headers.get("location"), row?.task]).toEqual([
    `${own}/tasks/${row?.id}`,
    { kind: "replay", sink: "dropped", range: { from: 7, to: 9 }, sends: true },
  ]);
});

it("the pages of pipelines say which rows are sent again before a sink returns to a snapshot", async () => {
  const own = await plant("snapped");
  const { database } = pages.platform;
  const named = { project: "project_1", name: "snapped" };
  const content = JSON.stringify({ sinks: { dropped: { sources: { transfers: { next: 100 } } } } });
  const id = await addSnapshot(database, named, { version: 1, cause: "schedule", content });
  const { generation = 0 } = (await findPipeline(database, named)) ?? {};
  const dropped = { state: "idle", rows: 1, blocks: { transfers: 2_000 } } as const;
  await observePipeline(database, named, {
    generation,
    runtime: "TERMINATED",
    error: null,
    sinks: { dropped },
  });
  expect(await textOf(`${own}/snapshots`)).not.toContain("Go back");
  const page = await textOf(`${own}/snapshots`, editor);
  expect(page).toContain("dropped: rows of transfers from block 100 to 2,000 are sent again.");
  expect((await send(`${own}/snapshots/${id}/restore`)).status).toBe(303);
  expect(await findPipeline(database, named)).toMatchObject({ status: "ACTIVE" });
  expect((await send(`${own}/snapshots/none/restore`)).status).toBe(400);
});

it("the pages of pipelines say what happens to the sinks before a definition is saved, as pipeline apply does", async () => {
  const { database } = pages.platform;
  const subgraph = await indexedSubgraph(database, "type Account @entity { id: ID!, balance: BigInt! }");
  await addVersion(database, {
    project: "project_1",
    name: "told",
    version: "1.0.0",
    deployment: subgraph.build,
    network: "mainnet",
    description: null,
    engine: "embedded",
    bundle: new Uint8Array(),
  });
  await subgraph.commit([set("Account", "first", { balance: bigInt(1n) })]);
  let received = 0;
  const receiver = createServer((_, response) => {
    received += 1;
    response.end();
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const definitionOf = (source: string, balance: string): string => `name: told
sources: { ${source}: { type: subgraph_entity, name: Account, start_at: earliest, subgraphs: [{ name: told, version: 1.0.0 }] } }
transforms: { chosen: { sql: "SELECT id, ${balance} AS balance FROM ${source}", primary_key: id } }
sinks: { hook: { type: webhook, from: chosen, url: "http://127.0.0.1:${(receiver.address() as AddressInfo).port}/", batch_flush_interval: 50ms } }
`;
  try {
    await send("/new-pipeline", { text: definitionOf("accounts", "balance"), variables: "" });
    await untilHolds(() => expect(received).toBe(1));
    const save = (text: string, more = {}) =>
      send("/pipelines/told/edit", { text, variables: "", from: "1", ...more });
    const doubled = definitionOf("accounts", "balance * 2");
    const page = await (await save(doubled)).text();
    expect(page).toContain(
      "<li>Sink hook goes on (the query of chosen); rows that it has stay as they are.</li>",
    );
    expect(page).not.toContain("start over");
    expect(fieldsOf(page)).toEqual({ text: doubled, variables: "", from: "1" });
    expect(await textOf("/pipelines/told")).toContain("version 1<");

    const moved = definitionOf("moved", "balance");
    const asked = await (await save(moved)).text();
    expect(asked).toContain(
      "<li>Sink hook starts over (the name of source moved, which was accounts): what it has sent",
    );
    expect(asked).toContain('value="settle">Save, and start over with hook</button>');
    const told = /name="told" value="([^"]*)"/.exec(asked)?.[1] ?? "";
    // Nobody was told of this change, or nobody has chosen.
    for (const more of [{ on_change: "settle" }, { on_change: "settle", told: "else" }, { told }])
      expect((await save(moved, more)).status).toBe(200);
    expect((await save(moved, { on_change: "settle", told })).status).toBe(303);
    await untilHolds(async () =>
      expect(await textOf("/pipelines/told/log")).toContain("Sink hook starts over"),
    );
    await untilHolds(() => expect(received).toBe(2));
  } finally {
    await send("/pipelines/told/delete", { name: "told" });
    receiver.close();
  }
});

/** What a sink may keep aside, with texts that are no markup. */
const parked = {
  sink: "dropped",
  total: 101,
  first: [
    {
      source: "transfers",
      from: 1,
      to: 9,
      operation: "i" as const,
      row: { id: "<b>x" },
      key: { id: "<b>x" },
      reason: "<i>too large",
      parkedAt: "2026-01-01T00:00:00.000Z",
      droppedAt: null,
    },
  ],
};

it("the pages of pipelines list parked rows with the possible actions, and escape texts of users", async () => {
  await plant("parking");
  const row = await findPipeline(pages.platform.database, { project: "project_1", name: "parking" });
  if (!row) throw new Error("it is there");
  const rested = { ...row, runtime: "TERMINATED", seenGeneration: row.generation } as const;
  const { markup } = parkedPage(rested, [parked], true);
  expect(markup).toContain("101 changes, the first 1 of them");
  expect(markup).toContain('name="key:id" value="&#60;b&#62;x"');
  expect(markup).not.toMatch(/<b>x|<i>too/);
  expect(parkedPage({ ...rested, runtime: "RUNNING" }, [parked], true).markup).toContain("pause");
  expect(parkedPage(rested, [parked], false).markup).not.toContain("<form");
});

it.skipIf(browserMissing !== undefined)(
  "the pages of pipelines fit a phone, and can be used entirely by keyboard, without scripts from other servers",
  async () => {
    const own = await plant("pressed");
    const named = { project: "project_1", name: "pressed" };
    const id = "00000000-0000-4000-8000-000000000008";
    const { database } = pages.platform;
    await addTask(database, named, id, { kind: "verify" }, 60_000);
    await endTask(database, named, id, { result: compared });
    const count = "00000000-0000-4000-8000-00000000000c";
    const range = { from: 7, to: 9 };
    await addTask(database, named, count, { kind: "replay", sink: "dropped", range, sends: false }, 60_000);
    await endTask(database, named, count, {
      result: { kind: "replay", rows: 12, overtaken: 0, sent: false },
    });
    await send(`${own}/pause`);
    await untilHolds(async () => expect(await textOf(own, editor)).toContain(`action="${own}/replay"`));
    const content = JSON.stringify({ sinks: { dropped: { sources: { transfers: { next: 100 } } } } });
    await addSnapshot(database, named, { version: 1, cause: "pause", content });
    const row = await findPipeline(database, named);
    if (!row) throw new Error("it is there");
    const rested = { ...row, runtime: "TERMINATED", seenGeneration: row.generation } as const;
    const { markup: shown } = parkedPage(rested, [parked], true);
    const browser = await openBrowser();
    try {
      const page = await browser.newPage({ viewport: { width: 360, height: 740 } });
      const complaints: string[] = [];
      page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
      page.on("request", (request) => {
        if (!request.url().startsWith(pages.address)) complaints.push(`asked ${request.url()}`);
      });
      await page.request.get(`${pages.address}/sign-in?code=${pages.codes.issue("editor")}`);
      for (const path of [
        "/data",
        "/pipelines",
        "/new-pipeline",
        own,
        `${own}/edit`,
        `${own}/log`,
        `${own}/versions/1`,
        `${own}/parked`,
        `${own}/snapshots`,
        `${own}/rows`,
        `${own}/tasks/${id}`,
        `${own}/tasks/${count}`,
      ]) {
        await page.goto(pages.address + path);
        if (path.endsWith("/parked"))
          await page.evaluate(
            `document.querySelector("main").insertAdjacentHTML("beforeend", ${JSON.stringify(shown)})`,
          );
        const wider = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
        expect([path, wider, await axeFindings(page)]).toEqual([path, 0, []]);
      }
      await page.goto(`${pages.address}${own}/edit`);
      await page.getByLabel("Definition (YAML or JSON)").press("Control+Home");
      await page.keyboard.type("{");
      await page.getByRole("button", { name: "Save" }).press("Enter");
      await page.getByRole("alert").getByText("Line ").first().waitFor();
      expect(await page.getByLabel("Definition (YAML or JSON)").inputValue()).toBe(
        `{${definition("pressed")}`,
      );
      // The refusal itself is not a failure of the page.
      complaints.splice(0);
      await page.goto(pages.address + own);
      await page.getByRole("img", { name: "Graph of pressed" }).waitFor();
      const plain = await browser.newPage({ javaScriptEnabled: false });
      await plain.request.get(`${pages.address}/sign-in?code=${pages.codes.issue("editor")}`);
      await plain.goto(`${pages.address}${own}/tasks/${count}`);
      await plain.getByText("Send", { exact: true }).press("Enter");
      await plain.getByRole("button", { name: "Send 12 rows again" }).waitFor();
      await plain.goto(pages.address + own);
      await plain.getByLabel("First block").fill("7");
      await plain.getByLabel("Last block").fill("9");
      await plain.keyboard.press("Enter");
      await plain.waitForURL(/\/tasks\//);
      await untilHolds(async () =>
        expect(await textOf(new URL(plain.url()).pathname)).toContain("keeps nothing"),
      );
      await page.getByText("Delete", { exact: true }).press("Enter");
      await page.getByLabel("Type the name to confirm").fill("pressed");
      // Once it is deleted, the page may look for it in vain before the list opens.
      expect(complaints).toEqual([]);
      await page.keyboard.press("Enter");
      await page.waitForURL(/\/pipelines$/);
      expect(await textOf("/pipelines")).not.toContain("pressed");
    } finally {
      await browser.close();
    }
  },
);

it.skipIf(browserMissing !== undefined)(
  "the pages of pipelines show rows as they pass, and pause on request, by keyboard",
  async () => {
    const { database } = pages.platform;
    const subgraph = await indexedSubgraph(database, "type Account @entity { id: ID!, balance: BigInt! }");
    await addVersion(database, {
      project: "project_1",
      name: "accounts",
      version: "1.0.0",
      deployment: subgraph.build,
      network: "mainnet",
      description: null,
      engine: "embedded",
      bundle: new Uint8Array(),
    });
    const account = (name: string) => subgraph.commit([set("Account", name, { balance: bigInt(1n) })]);
    await account("first");
    const text = `name: passing
sources: { accounts: { type: subgraph_entity, name: Account, start_at: earliest, subgraphs: [{ name: accounts, version: 1.0.0 }] } }
sinks: { dropped: { type: blackhole, from: accounts } }
`;
    expect((await send("/new-pipeline", { text, variables: "" })).status).toBe(303);
    await untilHolds(async () => expect(await textOf("/pipelines/passing")).toContain("1 rows"));
    const browser = await openBrowser();
    try {
      const page = await browser.newPage({ timezoneId: "America/New_York" });
      await page.request.get(`${pages.address}/sign-in?code=${pages.codes.issue("viewer")}`);
      await page.goto(`${pages.address}/pipelines/passing/rows?node=accounts`);
      await page.getByText("Rows appear as they pass.").waitFor();
      await account("<b>second");
      const rows = page.getByRole("region", { name: "Rows" });
      await rows.getByText('"id":"<b>second"').waitFor();
      await rows.getByText("Time (America/New_York)").waitFor();
      const time = rows.locator("time").first();
      const inNewYork = new Date((await time.getAttribute("datetime")) ?? "").toLocaleString("sv-SE", {
        timeZone: "America/New_York",
      });
      expect(await time.textContent()).toBe(inNewYork);
      expect(await axeFindings(page)).toEqual([]);
      const pause = page.getByRole("button", { name: "Pause" });
      await pause.press("Enter");
      await page.getByText("Paused.").waitFor();
      await account("third");
      await untilHolds(async () => expect(await textOf("/pipelines/passing")).toContain("3 rows"));
      await page.waitForTimeout(600);
      expect(await rows.getByText("third").count()).toBe(0);
      await pause.press("Enter");
      await rows.getByText("third").waitFor();
      await send("/pipelines/passing/pause");
      await page.getByText("The pipeline has ended (stopped).").waitFor();
      await page.reload();
      await page.getByText("is not running").waitFor();

      await send("/pipelines/passing/start");
      const plain = await browser.newPage({ javaScriptEnabled: false });
      await plain.request.get(`${pages.address}/sign-in?code=${pages.codes.issue("viewer")}`);
      await untilHolds(async () => {
        await plain.goto(`${pages.address}/pipelines/passing/rows`);
        expect(await plain.locator("noscript .notice").isVisible()).toBe(true);
      });
    } finally {
      await browser.close();
    }
  },
);
