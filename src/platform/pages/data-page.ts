import type { FastifyInstance } from "fastify";
import { type Html, html } from "../http/html.js";
import { callerOf } from "../http/roles.js";
import type { Platform } from "../platform.js";
import { Problem } from "../problem.js";
import { lengthOf } from "./charts/spans.js";
import type { Content, PageScope } from "./page-scope.js";
import { digits, wideTable } from "./parts.js";

/** A chain, as the status address of the data service shows it. */
interface ShownChain {
  readonly chain: string;
  readonly indexed_from: number;
  readonly head_lag_seconds: number | null;
  readonly indexed_to: Readonly<Record<string, number | null>>;
  readonly final_to: Readonly<Record<string, number | null>>;
  readonly capabilities: {
    readonly receipts: boolean;
    readonly traces: boolean;
    readonly finality: string;
    readonly node: boolean;
  };
}

/** The market of a project, as the status address shows it. */
interface ShownMarket {
  /** Its name and version. */
  readonly subgraph: string;
  readonly chain: string;
  readonly health: string;
  readonly indexed_from: number | null;
  readonly indexed_to: number | null;
  readonly final_to: number | null;
  readonly head_lag_seconds: number | null;
}

/** How far the data service is indexed: this server's own, one that it forwards to, or none. */
type DataStatus =
  | { readonly service: "none" }
  | { readonly service: "elsewhere" }
  | {
      readonly service: "here";
      readonly chains: readonly ShownChain[];
      readonly market: ShownMarket | null;
    };

/** Adds the page about the data service's progress, and its content as JSON for programs. */
export function addDataPage(app: FastifyInstance, pages: PageScope, platform: Platform): void {
  pages.get("/data", "Viewer", async ({ caller }) =>
    pageOf(await readDataStatus(platform, caller.project), platform),
  );
  app.get(
    "/data.json",
    { config: { role: "Viewer", ofBrowser: pages.ofBrowser } },
    async (request, reply) => {
      const status = await readDataStatus(platform, callerOf(request).project);
      return reply.headers({ "x-content-type-options": "nosniff", "cache-control": "no-store" }).send(status);
    },
  );
}

/** @throws Problem `unavailable` if the database does not answer; DatabaseError */
async function readDataStatus({ settings }: Platform, project: string): Promise<DataStatus> {
  const { dataService } = settings;
  if (!dataService) return { service: "none" };
  if (!("service" in dataService)) return { service: "elsewhere" };
  const { status, body } = await dataService.service.answer({
    method: "GET",
    url: "/status",
    header: (name) => (name === "x-api-key" ? dataService.key : undefined),
    market: () => dataService.marketOf(project),
  });
  if (status !== 200)
    throw new Problem("unavailable", "The database did not say what is indexed. Try again.", {
      retryAfter: 5,
    });
  const { chains, market } = JSON.parse(body) as {
    readonly chains: readonly ShownChain[];
    readonly market: ShownMarket | null;
  };
  return { service: "here", chains, market };
}

function pageOf(status: DataStatus, { settings }: Platform): Content {
  if (status.service === "none")
    return { title, body: html`<p>This server has no data service.</p>${advice}` };
  if (status.service === "elsewhere")
    return {
      title,
      body: html`<p>This server forwards to another data service, whose <code>/status</code> says what is indexed.</p>`,
    };
  const { chains, market } = status;
  const ofMarket = market ? marketTable(market) : html``;
  if (chains.length === 0) return { title, body: html`<p>No chain has tables yet.</p>${advice}${ofMarket}` };
  return {
    title,
    body: html`${wideTable(columns.map(headOf), chains.flatMap(rowsOf), "Chains")}
<p class="small soft">These tables hold public data of chains, for all projects. Programs get the same at <code>${settings.address()}/edge/data/status</code>, with the key of an <a href="/endpoints">endpoint</a>. The <a href="/edge/data/docs">explorer</a> shows all operations.</p>${ofMarket}`,
  };
}

const title = "Data";
const columns = ["Chain", "Category", "First block", "Indexed to", "Final to", "Lag", "Node", "Finality"];
const advice = html`<p>Fill tables, and let the server answer from them:</p>
<pre>graphloom data sync --chains ethereum --rpc https://…
graphloom serve --data-service here</pre>`;

function marketTable(market: ShownMarket): Html {
  const { subgraph, chain, health, indexed_from: first, head_lag_seconds: lag } = market;
  return html`<h2>Market</h2>
${wideTable(
  ["Subgraph", "Chain", "Health", "First block", "Indexed to", "Final to", "Lag"].map(headOf),
  [
    html`<tr><th scope="row">${subgraph}</th><td>${chain}</td><td>${health}</td>${blocks(first, market.indexed_to, market.final_to)}${lagCell(lag)}</tr>`,
  ],
  "Market",
)}
<p class="small soft">This subgraph keeps the project's market. Keys of the project's endpoints can read it at <code>/edge/data/market/…</code>. Other projects cannot.</p>`;
}

/** A row for each category of a chain. */
function rowsOf(shown: ShownChain): readonly Html[] {
  const { chain, indexed_from: first, indexed_to: last, final_to: final, head_lag_seconds: lag } = shown;
  const { receipts, traces, node, finality } = shown.capabilities;
  const categories = Object.keys(last).filter((name) => name !== "natives" || receipts);
  return categories.map(
    (name) =>
      html`<tr><th scope="row">${chain}</th><td>${name}${name === "natives" && !traces && " of transactions"}</td>${blocks(first, last[name], final[name])}${lagCell(lag)}<td>${node ? "yes" : "no"}</td><td>${finality}</td></tr>`,
  );
}

const numbers = new Set(["First block", "Indexed to", "Final to", "Lag"]);

/** A heading above numbers, aligned with them. */
function headOf(text: string): Html {
  return html`<th scope="col"${numbers.has(text) && html` class="number"`}>${text}</th>`;
}

function blocks(...all: readonly (number | null | undefined)[]): readonly Html[] {
  return all.map(
    (number) => html`<td class="number">${number == null ? "nothing yet" : digits(number)}</td>`,
  );
}

function lagCell(seconds: number | null): Html {
  return html`<td class="number">${seconds === null ? "–" : lengthOf(seconds * 1000)}</td>`;
}
