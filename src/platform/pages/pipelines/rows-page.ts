import type { FastifyInstance } from "fastify";
import { type Html, html } from "../../http/html.js";
import { OpenStreams } from "../../http/limits/open-streams.js";
import { callerOf } from "../../http/roles.js";
import { type Inspection, inspectPipeline } from "../../pipelines/inspect-pipeline.js";
import type { Pipelines } from "../../pipelines/pipelines.js";
import { streamRows } from "../../pipelines/send-rows.js";
import { Problem } from "../../problem.js";
import type { PageScope } from "../page-scope.js";
import { momentHead } from "../times.js";
import { pipelineOf, titled } from "./pipeline-visit.js";
import { pipelinePageOf } from "./pipeline-words.js";

/** Adds the page of rows that pass the nodes of a pipeline, and the events that its script reads. */
export function addRowPages(app: FastifyInstance, pages: PageScope, pipelines: Pipelines): void {
  const { platform } = pipelines;
  const streams = new OpenStreams(app);
  pages.get("/pipelines/:name/rows", "Viewer", async (visit) => {
    const row = await pipelineOf(pipelines, visit);
    const node = visit.query.get("node") ?? "";
    const found = await inspectPipeline(pipelines, row, undefined).catch((error: unknown) => {
      if (error instanceof Problem && error.type !== "internal") return error;
      throw error;
    });
    const isShown = !(found instanceof Problem);
    return {
      ...titled(row, "rows"),
      body: isShown ? rowsPage(row.name, found, node) : notShown(row.name, found.message),
      ...(isShown && { scripts: ["times.js", "rows.js"] }),
    };
  });
  app.get<{ Params: { name: string }; Querystring: { node?: unknown } }>(
    "/pipelines/:name/rows/events",
    { config: { role: "Viewer", ofBrowser: pages.ofBrowser } },
    async (request, reply) => {
      const { project } = callerOf(request);
      const { node } = request.query;
      const named = { project, name: request.params.name };
      const wanted = typeof node === "string" && node !== "" ? [node] : undefined;
      const stream = await streamRows(pipelines, named, wanted, (leave) =>
        streams.open(reply, platform.world, leave),
      );
      return stream.body;
    },
  );
}

function rowsPage(name: string, { nodes }: Inspection, chosen: string): Html {
  const known = nodes.some((node) => node.name === chosen) ? chosen : "";
  const address = `${pipelinePageOf({ name })}/rows/events${known === "" ? "" : `?node=${encodeURIComponent(known)}`}`;
  const head = ["Node", "Change", "Row"].map((text) => html`<th scope="col">${text}</th>`);
  return html`<noscript><p class="notice">Scripts are off, so this page cannot show rows as they pass. See them with:</p>
<pre>graphloom stream inspect ${name} --print</pre></noscript>
<form class="line" method="get"><label>Node <select name="node"><option value="">all</option>${nodes.map(
    (node) => html`<option${node.name === known && html` selected`}>${node.name}</option>`,
  )}</select></label><button>Show</button></form>
<div data-rows="${address}" hidden>
<p class="row"><button type="button" id="rows-pause" aria-pressed="false">Pause</button>
<span role="status" id="rows-state"></span> <span class="small soft" id="rows-lost"></span></p>
<div class="wide log rows" role="region" aria-label="Rows" tabindex="0"><table><thead><tr>${momentHead}${head}</tr></thead><tbody></tbody></table></div>
</div>`;
}

function notShown(name: string, why: string): Html {
  return html`<p class="notice">${why}</p><p><a href="${pipelinePageOf({ name })}/rows">Look again</a></p>`;
}
