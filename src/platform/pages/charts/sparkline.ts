import { columnsOf, type Figure, type FigureState, figureStates, type Span } from "../../figures/figure.js";
import { type Html, html } from "../../http/html.js";
import { digits } from "../parts.js";
import { areaPath, linePath } from "./paths.js";
import { lengthOf } from "./spans.js";

const size = { width: 60, height: 16 };
/** A lag of fewer blocks does not fill the frame, because followers of a chain often lag by some. */
const leastScale = 10;

/**
 * A small chart of the lag in blocks: grey without a lag, amber with a lag, red after indexing has failed. It leaves
 * gaps without measurements.
 * @param figures oldest first
 * @param span by default 60 columns, such as the last hour in minutes
 * @returns an SVG of less than 1 KB for 60 columns
 */
export function lagSparkline(figures: readonly Figure[], span: Span): Html {
  const columns = columnsOf(figures, span);
  const lags = columns.map((figure) => figure?.lagBlocks);
  const most = Math.max(leastScale, ...lags.map((lag = 0) => lag));
  const { height } = size;
  const has = (index: number): boolean => columns[index]?.state === "failed";
  const failed = lags.map((lag, index) => (has(index) ? Math.max(1, lag ?? 0) : undefined));
  const behind = lags.map((lag = 0, index) => (has(index) || lag === 0 ? undefined : lag));
  const even = lags.map((lag, index) => !has(index) && lag === 0);
  return html`<svg class="spark" role="img" width="${size.width}" height="${height}" viewBox="0 0 ${columns.length} ${height}" preserveAspectRatio="none"><title>${lagWords(figures, span)}</title>${path("even", linePath(even, height - 1))}${path("behind", areaPath(behind, most, height))}${path("failed", areaPath(failed, most, height))}</svg>`;
}

/** The height of the line of a state. States differ in height as well as in colour. */
const thickness: Readonly<Record<FigureState, number>> = {
  failed: 10,
  waiting: 8,
  errors: 6,
  indexing: 4,
  synced: 2,
  paused: 1,
};

/**
 * A strip of a deployment's states, one unit wide for each column, with gaps without measurements.
 * @param figures oldest first
 * @param stretch whether the page determines its size
 * @returns an SVG of less than 1 KB for 60 columns
 */
export function stateStrip(figures: readonly Figure[], span: Span, stretch = false): Html {
  const columns = columnsOf(figures, span);
  const paths = figureStates.map((state) =>
    path(
      state,
      linePath(
        columns.map((figure) => figure?.state === state),
        5,
      ),
      thickness[state],
    ),
  );
  const measures = stretch ? "" : html` width="${size.width}" height="10"`;
  return html`<svg class="strip" role="img"${measures} viewBox="0 0 ${columns.length} 10" preserveAspectRatio="none"><title>${stateWords(figures, span)}</title>${paths}</svg>`;
}

/** Describes a chart of the lag in a sentence. */
function lagWords(figures: readonly Figure[], span: Span): string {
  const columns = columnsOf(figures, span).filter((figure) => figure?.lagBlocks !== undefined);
  const last = columns.at(-1);
  if (!last) return `Lag in ${lastOf(span)}: not measured`;
  const behind = columns.filter((figure) => (figure?.lagBlocks ?? 0) > 0);
  if (behind.length === 0) return `Lag in ${lastOf(span)}: none`;
  const most = Math.max(...behind.map((figure) => figure?.lagBlocks ?? 0));
  const time = lengthOf(behind.length * span.step);
  return `Lag in ${lastOf(span)}: behind for ${time}, at most ${blocksOf(most)}, latest ${blocksOf(last.lagBlocks ?? 0)}`;
}

/** Describes a strip of states in a sentence. */
function stateWords(figures: readonly Figure[], span: Span): string {
  return `State in ${lastOf(span)}: ${stateLengths(figures, span)}`;
}

/** How long each state lasted, longest first. */
export function stateLengths(figures: readonly Figure[], span: Span): string {
  const columns = columnsOf(figures, span);
  const parts = [...figureStates, undefined]
    .map((state) => ({ state, count: columns.filter((figure) => figure?.state === state).length }))
    .filter(({ count }) => count > 0)
    .sort((one, other) => other.count - one.count)
    .map(({ state, count }) => `${stateWord(state)} for ${lengthOf(count * span.step)}`);
  return parts.join(", ");
}

const words: Readonly<Record<FigureState, string>> = {
  failed: "failed",
  waiting: "waiting",
  errors: "with errors",
  indexing: "catching up",
  paused: "paused",
  synced: "synced",
};

/** A state in words. */
export function stateWord(state: FigureState | undefined): string {
  return state === undefined ? "not measured" : words[state];
}

/** A number of blocks in words. */
export function blocksOf(count: number): string {
  return count === 1 ? "1 block" : `${digits(count)} blocks`;
}

/** `the last hour`, `the last 24 hours`, `the last 7 days` */
export function lastOf({ from, to }: Span): string {
  const hours = Math.round((to - from) / 3_600_000);
  if (hours === 1) return "the last hour";
  return hours <= 48 ? `the last ${hours} hours` : `the last ${Math.round(hours / 24)} days`;
}

function path(kind: string, shape: string, width?: number): Html | undefined {
  if (shape === "") return undefined;
  return html`<path class="${kind}" d="${shape}"${width !== undefined && html` stroke-width="${width}"`}/>`;
}
