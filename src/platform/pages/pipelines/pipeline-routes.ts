import type { FastifyInstance } from "fastify";
import { networkOfDataset } from "../../../pipelines/host/served/source-network.js";
import { logLevels } from "../../../store/logs/log-line.js";
import { doerOf } from "../../http/doer-of.js";
import { html, wordsOf } from "../../http/html.js";
import { mayActAs } from "../../people/api-keys.js";
import {
  cancelPipelineChange,
  removePipeline,
  type StatusChange,
  setPipelineStatus,
} from "../../pipelines/manage-pipelines.js";
import { readPipelineLines } from "../../pipelines/pipeline-lines.js";
import {
  findPipelineVersion,
  listPipelines,
  listPipelineVersions,
  type PipelineRow,
  type PipelineVersion,
} from "../../pipelines/pipeline-rows.js";
import type { Pipelines } from "../../pipelines/pipelines.js";
import { Problem } from "../../problem.js";
import { levelsFrom } from "../../subgraphs/read-subgraphs.js";
import { logTable } from "../log-table.js";
import type { PageScope } from "../page-scope.js";
import { addPipelineForms } from "./form-routes.js";
import { addParkedPages } from "./parked-pages.js";
import type { ShownNode } from "./pipeline-graph.js";
import { pipelineList, withoutPipelines } from "./pipeline-list.js";
import { pipelinePage, versionPage } from "./pipeline-page.js";
import { pipelineOf, titled } from "./pipeline-visit.js";
import { pipelinePageOf, pipelineState } from "./pipeline-words.js";
import { addRowPages } from "./rows-page.js";
import { addSnapshotPages } from "./snapshot-pages.js";
import { addTaskPages } from "./task-pages.js";

const address = "/pipelines/:name";
/** More than the quota of a project. */
const mostListed = 1_000;
const shownLines = 30;
const pageLines = 200;

/** Adds the pages of pipelines and streams. @param pipelines absent on a server that runs none */
export function addPipelinePages(
  app: FastifyInstance,
  pages: PageScope,
  pipelines: Pipelines | undefined,
): void {
  if (!pipelines) {
    pages.get("/pipelines", "Viewer", async () => withoutPipelines);
    return;
  }
  const { database } = pipelines.platform;
  pages.get("/pipelines", "Viewer", async ({ caller }) =>
    pipelineList(
      await listPipelines(database, caller.project, { limit: mostListed }),
      mayActAs(caller.role, "Editor"),
    ),
  );

  pages.get(address, "Viewer", async (visit) => {
    const row = await pipelineOf(pipelines, visit);
    const [versions, { lines }, tasks] = await Promise.all([
      listPipelineVersions(database, row),
      readPipelineLines(database, row, { direction: "desc", limit: shownLines }),
      pipelines.tasks.list(row),
    ]);
    const version = versions.find((each) => each.version === row.version);
    const nodes = version ? await readShownNodes(pipelines, row, version) : [];
    const mayChange = mayActAs(visit.caller.role, "Editor");
    return {
      ...titled(row),
      body: pipelinePage({ row, version, versions, nodes, lines, tasks, mayChange }),
      isLive: true,
      news: html`${row.name}: ${wordsOf(pipelineState(row))}`,
    };
  });

  pages.get(`${address}/versions/:version`, "Viewer", async (visit) => {
    const row = await pipelineOf(pipelines, visit);
    const number = Number(visit.path.version);
    const isNumber = Number.isInteger(number) && number > 0 && number < 2 ** 31;
    const version = isNumber ? await findPipelineVersion(database, row, number) : undefined;
    if (!version) throw new Problem("not-found", `"${row.name}" has no such version.`);
    return { ...titled(row, `version ${version.version}`), body: versionPage(version) };
  });

  addLog(pages, pipelines);
  addRowPages(app, pages, pipelines);
  addParkedPages(pages, pipelines);
  addSnapshotPages(pages, pipelines);
  addTaskPages(pages, pipelines);
  addActions(pages, pipelines);
  addPipelineForms(pages, pipelines);
}

function addLog(pages: PageScope, pipelines: Pipelines): void {
  pages.get(`${address}/log`, "Viewer", async (visit) => {
    const { query } = visit;
    const row = await pipelineOf(pipelines, visit);
    const level = logLevels.find((each) => each === query.get("level")) ?? "debug";
    const search = query.get("search") ?? "";
    const cursor = Number(query.get("cursor") ?? Number.NaN);
    const log = await readPipelineLines(pipelines.platform.database, row, {
      direction: "desc",
      limit: pageLines,
      levels: levelsFrom(level),
      search,
      ...(Number.isSafeInteger(cursor) && { cursor }),
    });
    const next = new URLSearchParams({ level, search, cursor: String(log.cursor) });
    const body = html`<form class="line" method="get">
<label>Minimum level <select name="level">${logLevels.map((each) => html`<option${each === level && html` selected`}>${each}</option>`)}</select></label>
<label>Containing <input name="search" value="${search}" maxlength="200"></label><button>Show</button></form>
${log.lines.length === 0 ? html`<p class="soft">No matching lines.</p>` : logTable(log.lines)}
${log.cursor !== undefined && html`<p><a href="?${String(next)}">Older lines</a></p>`}`;
    return { ...titled(row, "log"), body };
  });
}

const changes: Readonly<Record<string, StatusChange>> = {
  pause: { status: "PAUSED", request: null },
  start: { status: "ACTIVE", request: "start" },
  stop: { status: "INACTIVE", request: null },
  restart: { status: "ACTIVE", request: "restart", begins: "continue" },
};

function addActions(pages: PageScope, pipelines: Pipelines): void {
  for (const [action, change] of Object.entries(changes)) {
    pages.post(`${address}/${action}`, "Editor", async ({ path: { name = "" }, request }) =>
      pipelinePageOf(await setPipelineStatus(pipelines, doerOf(request), name, change)),
    );
  }
  pages.post(`${address}/cancel`, "Editor", async ({ path: { name = "" }, request }) =>
    pipelinePageOf(await cancelPipelineChange(pipelines, doerOf(request), name)),
  );
  pages.post(`${address}/delete`, "Editor", async (visit) => {
    const { name } = await pipelineOf(pipelines, visit);
    if (visit.form.get("name")?.trim() !== name)
      throw new Problem("bad-request", `Nothing was deleted. To delete the pipeline, type its name: ${name}`);
    await removePipeline(pipelines, doerOf(visit.request), name);
    return "/pipelines";
  });
}

/**
 * The nodes of a version with their figures. A source has the lag of the sink that is farthest behind, and a
 * transform has the lag of its sources.
 */
async function readShownNodes(
  { platform: { hosting } }: Pick<Pipelines, "platform">,
  { sinks, nodes: given, version: current }: PipelineRow,
  { topology, document, version }: PipelineVersion,
): Promise<readonly ShownNode[]> {
  const readings = (await Promise.all(hosting.engines.map((engine) => engine.nodes?.() ?? []))).flat();
  const heads = new Map(
    readings.flatMap(({ network, head }) => (head === undefined ? [] : [[network, head]])),
  );
  const sources = (document.sources ?? {}) as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  const shown = topology.map((node): ShownNode => {
    if (node.kind === "sink") return { ...node, status: sinks[node.name] };
    const passed = version === current ? given[node.name] : undefined;
    if (node.kind === "transform") return { ...node, passed };
    const { dataset_name: dataset, entity } = sources[node.name] ?? {};
    const of = typeof dataset === "string" ? dataset : entity;
    const network = typeof dataset === "string" ? networkOfDataset(dataset) : undefined;
    const head = network === undefined ? undefined : heads.get(network);
    const blocks = Object.values(sinks).flatMap((sink) => sink.blocks[node.name] ?? []);
    const seen = Object.values(sinks).flatMap((sink) => sink.lag?.[node.name] ?? []);
    const ownLag =
      head === undefined || blocks.length === 0 ? undefined : Math.max(0, head - Math.min(...blocks));
    const lag = seen.length > 0 ? Math.max(...seen) : ownLag;
    return { ...node, ...(typeof of === "string" && { of }), passed, lag };
  });
  return shown.map((node) =>
    node.kind === "transform" ? { ...node, lag: lagBefore(node, shown, new Set()) } : node,
  );
}

/** The largest lag among the sources before a node. @param seen the nodes that were visited */
function lagBefore(node: ShownNode, nodes: readonly ShownNode[], seen: Set<string>): number | undefined {
  const lags = node.reads.flatMap((name) => {
    const before = nodes.find((one) => one.name === name);
    if (!before || seen.has(name)) return [];
    seen.add(name);
    return (before.kind === "source" ? before.lag : lagBefore(before, nodes, seen)) ?? [];
  });
  return lags.length === 0 ? undefined : Math.max(...lags);
}
