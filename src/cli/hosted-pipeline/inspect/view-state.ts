import type { InspectEvent, InspectedNode } from "../../../api/pipeline-operations.js";
import { visible } from "../../../base/text/visible.js";

/** A row of a tab. */
export interface ViewRow {
  readonly op: "i" | "u" | "d";
  /** The row as JSON on one line, with control characters made visible. */
  readonly text: string;
  readonly row: Readonly<Record<string, unknown>>;
}

/** A node and the rows that have passed it. */
export interface NodeTab {
  readonly node: InspectedNode;
  /** Oldest first. */
  readonly rows: readonly ViewRow[];
  /** Rows that arrived while the view was paused. */
  readonly held: readonly ViewRow[];
  /** The selected row. */
  readonly at: number;
  /** Rows that passed and are not shown, because there were too many. */
  readonly dropped: number;
}

/** Everything that the view shows. */
export interface ViewState {
  readonly name: string;
  /** Rows that are kept of each node. */
  readonly bufferSize: number;
  readonly tabs: readonly NodeTab[];
  readonly current: number;
  readonly isPaused: boolean;
  /** Whether the newest row is selected as rows come. */
  readonly isFollowing: boolean;
  /** The text that was searched for last. */
  readonly search: string;
  /** The text of a search that is being typed. */
  readonly typed: string | undefined;
  /** What is shown in front of the rows, and its first visible line. */
  readonly cover: { readonly kind: "row" | "definition"; readonly top: number } | undefined;
  /** Whether rows come, or why not. */
  readonly connection: string;
  readonly end: "quit" | "interrupted" | undefined;
}

/** A view without nodes yet. */
export function newView(name: string, bufferSize: number): ViewState {
  return {
    name,
    bufferSize,
    tabs: [],
    current: 0,
    isPaused: false,
    isFollowing: true,
    search: "",
    typed: undefined,
    cover: undefined,
    connection: "connecting",
    end: undefined,
  };
}

/** Adds an event to the view. */
export function take(state: ViewState, events: readonly InspectEvent[]): ViewState {
  let tabs = state.tabs;
  const added = new Map<string, ViewRow[]>();
  const dropped = new Map<string, number>();
  for (const event of events) {
    if (event.event === "nodes") tabs = tabsOf(event.nodes, tabs);
    else if (event.event === "dropped") dropped.set(event.node, (dropped.get(event.node) ?? 0) + event.rows);
    else if (event.event === "row") {
      const row = { op: event.op, text: visible(JSON.stringify(event.row)), row: event.row };
      const rows = added.get(event.node);
      if (rows) rows.push(row);
      else added.set(event.node, [row]);
    }
  }
  const next = tabs.map((tab) => {
    const rows = added.get(tab.node.name) ?? [];
    const lost = dropped.get(tab.node.name) ?? 0;
    if (rows.length + lost === 0) return tab;
    const more = { ...tab, dropped: tab.dropped + lost };
    return state.isPaused
      ? { ...more, held: [...tab.held, ...rows].slice(-state.bufferSize) }
      : withRows(more, rows, state);
  });
  return { ...state, tabs: next };
}

/** Nodes that were there before keep their rows. */
function tabsOf(nodes: readonly InspectedNode[], before: readonly NodeTab[]): readonly NodeTab[] {
  return nodes.map((node) => {
    const known = before.find((tab) => tab.node.name === node.name);
    return known ? { ...known, node } : { node, rows: [], held: [], at: 0, dropped: 0 };
  });
}

/** Adds rows to a tab, which drops the oldest ones. */
export function withRows(
  tab: NodeTab,
  added: readonly ViewRow[],
  { bufferSize, isFollowing }: Pick<ViewState, "bufferSize" | "isFollowing">,
): NodeTab {
  const all = [...tab.rows, ...added];
  const gone = Math.max(0, all.length - bufferSize);
  const rows = all.slice(gone);
  const at = isFollowing ? rows.length - 1 : tab.at - gone;
  return { ...tab, rows, at: Math.max(0, at) };
}

/** The tab that is shown. */
export function currentTab({ tabs, current }: ViewState): NodeTab | undefined {
  return tabs[current];
}
