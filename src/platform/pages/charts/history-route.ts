import type { FastifyInstance } from "fastify";
import { columnsOf, type Figure, type FigureState } from "../../figures/figure.js";
import type { History } from "../../figures/read-history.js";
import { callerOf } from "../../http/roles.js";
import type { Platform } from "../../platform.js";
import { nameIn, requireEntry } from "../../subgraphs/find-subgraph.js";
import { type PageScope, queryOf } from "../page-scope.js";
import type { ReadHistory } from "./histories.js";
import { markText } from "./marks.js";
import { lengthOf, rateOf } from "./spans.js";
import { blocksOf, stateWord } from "./sparkline.js";

/** A history for programs, in the columns of its charts. Times are milliseconds since 1970. */
export interface HistoryFile {
  readonly range: string;
  readonly from: number;
  readonly to: number;
  /** The width of a column. */
  readonly step: number;
  /** From `from` to `to`; null for columns without measurements. */
  readonly columns: readonly (HistoryColumn | null)[];
  readonly marks: readonly { readonly kind: string; readonly at: number; readonly text: string }[];
}

/** The measurements of a column. */
interface HistoryColumn {
  readonly state: FigureState | undefined;
  readonly block: number | undefined;
  readonly lagBlocks: number | undefined;
  readonly lagSeconds: number | undefined;
  readonly eventsPerSecond: number | undefined;
  /** The whole chart in words. */
  readonly text: string;
}

/** Serves the history of a version or a tag as figures, for the range in the address. */
export function addHistoryFile(
  app: FastifyInstance,
  { database }: Pick<Platform, "database">,
  { ofBrowser, historyOf }: Pick<PageScope, "ofBrowser"> & { readonly historyOf: ReadHistory },
): void {
  app.get<{ Params: { name: string; version: string } }>(
    "/dashboard/:name/:version/history.json",
    { config: { role: "Viewer", ofBrowser } },
    async (request, reply) => {
      const entry = await requireEntry(database, nameIn(callerOf(request), request.params));
      const history = await historyOf(entry, queryOf(request).get("range"));
      return reply
        .headers({ "x-content-type-options": "nosniff", "cache-control": "no-store" })
        .send(historyFile(history));
    },
  );
}

/** The figures that the charts of a history show. */
export function historyFile({ range, span, figures, marks }: History): HistoryFile {
  return {
    range: range.name,
    ...span,
    columns: columnsOf(figures, span).map((figure) => (figure ? columnOf(figure) : null)),
    marks: marks.map((mark) => ({ kind: mark.kind, at: mark.at, text: markText(mark) })),
  };
}

function columnOf(figure: Figure): HistoryColumn {
  const { state, block, lagBlocks, lagSeconds, eventsPerSecond } = figure;
  return { state, block, lagBlocks, lagSeconds, eventsPerSecond, text: figureText(figure) };
}

/** `catching up, 340 blocks behind (1 h 8 min), 4.5 events/s` */
function figureText({ state, lagBlocks, lagSeconds = 0, eventsPerSecond }: Figure): string {
  const time = lagSeconds === 0 ? "" : ` (${lengthOf(lagSeconds * 1000)})`;
  return [
    stateWord(state),
    ...(lagBlocks === undefined ? [] : [`${blocksOf(lagBlocks)} behind${time}`]),
    ...(eventsPerSecond === undefined ? [] : [`${rateOf(eventsPerSecond)} events/s`]),
  ].join(", ");
}
