import type { Mark, MarkKind, Span } from "../../figures/figure.js";
import { type Html, html } from "../../http/html.js";
import { momentOf } from "../times.js";
import { blocksOf } from "./sparkline.js";

/** Marks in the list below the chart. */
const mostListed = 20;

/** Each kind has its own shape, 8 by 8 around the origin. */
const shapes: Readonly<Record<MarkKind, string>> = {
  deploy: "M-4 4L0-4L4 4z",
  failure: "M-4-4L4 4M4-4L-4 4",
  reorganisation: "M0-4L4 0L0 4L-4 0z",
  restart: "M-3-3h6v6h-6z",
};

/** A row of marks above the charts, at the places of their times. Its shapes keep their size however wide the page is. */
export function markRow(marks: readonly Mark[], span: Span): Html | undefined {
  if (marks.length === 0) return undefined;
  const shown = marks.map(
    (mark) =>
      html`<svg x="${percentOf(mark.at, span)}%" y="6" overflow="visible"><path class="mark ${mark.kind}" d="${shapes[mark.kind]}"><title>${markText(mark)}</title></path></svg>`,
  );
  return html`<svg class="marks" role="img" width="100%" height="12"><title>${marks.length} ${marks.length === 1 ? "event" : "events"}, listed below the charts</title>${shown}</svg>`;
}

/** The place of a time in a span, in percent. A shape at either end stays within the frame. */
export function percentOf(at: number, { from, to }: Span): number {
  const percent = Math.round(((at - from) / (to - from)) * 1000) / 10;
  return Math.min(99, Math.max(1, percent));
}

/** The marks with their times, latest first. */
export function markList(marks: readonly Mark[]): Html | undefined {
  if (marks.length === 0) return undefined;
  const rows = marks.slice(-mostListed).toReversed().map(listed);
  const more = marks.length - rows.length;
  return html`<ul class="happened small">${rows}</ul>
${more > 0 && html`<p class="small soft">The charts mark ${more} earlier ${more === 1 ? "event" : "events"}.</p>`}`;
}

function listed(mark: Mark): Html {
  return html`<li><svg width="12" height="12" viewBox="-6 -6 12 12" aria-hidden="true"><path class="mark ${mark.kind}" d="${shapes[mark.kind]}"/></svg>
${momentOf(new Date(mark.at))} ${markText(mark)}</li>`;
}

/** Describes an event in words. */
export function markText({ kind, count, blocks, version }: Mark): string {
  const times = count === 1 ? "" : ` ${count} times`;
  switch (kind) {
    case "deploy":
      return count === 1
        ? `Deployed ${version ?? ""}`
        : `Deployed ${count} versions, the latest ${version ?? ""}`;
    case "failure":
      return `Indexing failed${times}`;
    case "restart":
      return `A server started indexing${times}`;
    case "reorganisation": {
      const most =
        blocks === undefined ? "" : `, ${count === 1 ? "" : "at most "}${blocksOf(blocks)} replaced`;
      return `The chain was reorganised${times}${most}`;
    }
  }
}
