import { stringify } from "yaml";
import { cellsOf, visible } from "../../../base/text/visible.js";
import { currentTab, type NodeTab, type ViewState } from "./view-state.js";

/** The size of a terminal, in characters. */
export interface ViewSize {
  readonly rows: number;
  readonly columns: number;
}

/** A line of the view, which fits its width. */
export interface ViewLine {
  readonly text: string;
  readonly style: "plain" | "bar" | "selected" | "match";
}

/** Lines around the rows: the tabs above, the state and the keys below. */
const around = 3;

/** How many rows are visible. */
export function pageOf({ rows }: ViewSize): number {
  return Math.max(1, rows - around);
}

/** The lines of the view, from top to bottom: as many as the terminal has. */
export function linesOf(state: ViewState, size: ViewSize): readonly ViewLine[] {
  const page = pageOf(size);
  const body = state.cover ? coverLines(state, state.cover, page, size.columns) : rowLines(state, page);
  const empty = Array.from({ length: Math.max(0, page - body.length) }, () => plain(""));
  const lines = [
    { text: tabBar(state, size.columns), style: "bar" as const },
    ...body,
    ...empty,
    { text: stateText(state), style: "bar" as const },
    plain(keysText(state)),
  ];
  return lines.slice(0, size.rows).map(({ text, style }) => ({ text: fitted(text, size.columns), style }));
}

function plain(text: string): ViewLine {
  return { text, style: "plain" };
}

/** The tabs, beginning so far left that the current one is visible. */
function tabBar({ name, tabs, current }: ViewState, columns: number): string {
  const titles = tabs.map(({ node, rows }, index) => {
    const title = `${index + 1} ${visible(node.name)} (${rows.length})`;
    return index === current ? `[${title}]` : ` ${title} `;
  });
  if (titles.length === 0) return visible(name);
  let first = 0;
  while (first < current && titles.slice(first, current + 1).join("").length > columns) first += 1;
  return titles.slice(first).join("");
}

function rowLines(state: ViewState, page: number): readonly ViewLine[] {
  const tab = currentTab(state);
  if (!tab) return [plain(`Waiting for ${visible(state.name)}.`)];
  if (tab.rows.length === 0) return [plain("No rows have passed yet.")];
  const { rows, at } = tab;
  const wanted = state.search.toLowerCase();
  const first = Math.max(0, Math.min(at - Math.floor(page / 2), rows.length - page));
  return rows.slice(first, first + page).map(({ op, text }, index): ViewLine => {
    const isMatch = wanted !== "" && text.toLowerCase().includes(wanted);
    const style = first + index === at ? "selected" : isMatch ? "match" : "plain";
    return { text: `${op} ${text}`, style };
  });
}

/** A row in full, or the definition of a node. */
function coverLines(
  state: ViewState,
  { kind, top }: NonNullable<ViewState["cover"]>,
  page: number,
  columns: number,
): readonly ViewLine[] {
  const tab = currentTab(state);
  const text = tab ? (kind === "row" ? rowText(tab) : definitionText(tab)) : "";
  const lines = text.split("\n").flatMap((line) => wrapped(line, columns));
  const first = Math.max(0, Math.min(top, lines.length - page));
  return lines.slice(first, first + page).map(plain);
}

function rowText({ rows, at }: NodeTab): string {
  const found = rows[at];
  return found ? `${operations[found.op]}\n${JSON.stringify(found.row, null, 2)}` : "";
}

const operations = { i: "inserted", u: "updated", d: "deleted" } as const;

function definitionText({ node }: NodeTab): string {
  const { name, kind, type, reads, columns, key, definition } = node;
  return stringify({
    [name]: definition,
    kind,
    type,
    reads,
    key,
    columns: Object.fromEntries(columns.map((column) => [column.name, column.type])),
  }).trimEnd();
}

function stateText(state: ViewState): string {
  const tab = currentTab(state);
  const held = tab?.held.length ?? 0;
  const parts = [
    visible(state.connection),
    state.isPaused ? `paused, ${held} new` : state.isFollowing ? "following" : "scrolled",
    ...(tab && tab.rows.length > 0 ? [`row ${tab.at + 1} of ${tab.rows.length}`] : []),
    ...(tab && tab.dropped > 0 ? [`${tab.dropped} not shown`] : []),
    ...(state.search === "" ? [] : [`search: ${visible(state.search)}`]),
  ];
  return parts.join(" | ");
}

function keysText({ typed, cover }: ViewState): string {
  if (typed !== undefined) return `/${visible(typed)}`;
  if (cover) return "j k scroll, Enter or q back";
  return "Tab node, j k g G scroll, / n N search, Space pause, f follow, Enter row, d definition, q quit";
}

/** Cuts a text to a width, and marks that it was cut. */
function fitted(text: string, columns: number): string {
  const cells = cellsOf(text, 0, Math.min(text.length, columns * 2 + 2));
  let [out, width] = ["", 0];
  for (const cell of cells) {
    if (width + cell.width > columns) return `${cut(out)}…`;
    out += cell.text;
    width += cell.width;
  }
  return out;
}

/** Without its last character, which makes room for a mark. */
function cut(text: string): string {
  return [...text].slice(0, -1).join("");
}

/** Breaks a line into lines of a width. */
function wrapped(line: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let [out, width] = ["", 0];
  for (const cell of cellsOf(line, 0, line.length)) {
    if (width + cell.width > columns) {
      lines.push(out);
      [out, width] = ["", 0];
    }
    out += cell.text;
    width += cell.width;
  }
  return [...lines, out];
}
