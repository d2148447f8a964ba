import type { Key } from "./keys.js";
import { currentTab, type NodeTab, type ViewState, withRows } from "./view-state.js";

/** Longest text of a search, in characters. */
const longestSearch = 200;

/**
 * The effect of a key.
 * @param page how many rows are visible
 */
export function press(state: ViewState, key: Key, page: number): ViewState {
  if (key === "interrupt") return { ...state, end: "interrupted" };
  if (state.typed !== undefined) return pressWhileTyping(state, state.typed, key);
  if (state.cover) return pressOnCover(state, state.cover, key, page);
  switch (key) {
    case "q":
      return { ...state, end: "quit" };
    case "tab":
    case "right":
      return toTab(state, state.current + 1);
    case "backtab":
    case "left":
      return toTab(state, state.current - 1);
    case "enter":
      return currentTab(state)?.rows.length ? { ...state, cover: { kind: "row", top: 0 } } : state;
    case "d":
      return currentTab(state) ? { ...state, cover: { kind: "definition", top: 0 } } : state;
    case "/":
      return { ...state, typed: "" };
    case "n":
      return toMatch(state, 1);
    case "N":
      return toMatch(state, -1);
    case " ":
      return state.isPaused ? resumed(state) : { ...state, isPaused: true };
    case "f":
      return state.isFollowing ? { ...state, isFollowing: false } : following(state);
    default:
      if (/^[1-9]$/.test(key))
        return Number(key) <= state.tabs.length ? toTab(state, Number(key) - 1) : state;
      return scroll(state, key, page);
  }
}

function toTab(state: ViewState, tab: number): ViewState {
  const count = state.tabs.length;
  return count === 0 ? state : { ...state, current: (tab + count) % count };
}

/** How far a key moves; `undefined` for other keys. */
function stepOf(key: Key, page: number): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    j: 1,
    down: 1,
    k: -1,
    up: -1,
    pagedown: page,
    pageup: -page,
    g: Number.NEGATIVE_INFINITY,
    home: Number.NEGATIVE_INFINITY,
    G: Number.POSITIVE_INFINITY,
    end: Number.POSITIVE_INFINITY,
  };
  return Object.hasOwn(steps, key) ? steps[key] : undefined;
}

function scroll(state: ViewState, key: Key, page: number): ViewState {
  const step = stepOf(key, page);
  const tab = currentTab(state);
  return step === undefined || !tab ? state : select(state, tab.at + step);
}

/** Selects a row. The newest row stays selected only while the view follows. */
function select(state: ViewState, row: number): ViewState {
  const last = (currentTab(state)?.rows.length ?? 0) - 1;
  const at = Math.max(0, Math.min(last, row));
  const changed = changeTab(state, (tab) => ({ ...tab, at }));
  return { ...changed, isFollowing: state.isFollowing && at === last };
}

function following(state: ViewState): ViewState {
  const tabs = state.tabs.map((tab) => ({ ...tab, at: Math.max(0, tab.rows.length - 1) }));
  return { ...state, tabs, isFollowing: true };
}

function resumed(state: ViewState): ViewState {
  const tabs = state.tabs.map((tab) => ({ ...withRows(tab, tab.held, state), held: [] }));
  return { ...state, tabs, isPaused: false };
}

function pressWhileTyping(state: ViewState, typed: string, key: Key): ViewState {
  if (key === "escape") return { ...state, typed: undefined };
  if (key === "backspace")
    return { ...state, typed: typed === "" ? undefined : [...typed].slice(0, -1).join("") };
  if (key === "enter") return toMatch({ ...state, typed: undefined, search: typed }, 1);
  const isText = [...key].length === 1 && typed.length < longestSearch;
  return isText ? { ...state, typed: typed + key } : state;
}

/** Selects the next or the previous row that contains the search text, wrapping around at the end. */
function toMatch(state: ViewState, direction: 1 | -1): ViewState {
  const tab = currentTab(state);
  if (!tab || state.search === "") return state;
  const wanted = state.search.toLowerCase();
  const count = tab.rows.length;
  for (let step = 1; step <= count; step += 1) {
    const row = (((tab.at + direction * step) % count) + count) % count;
    if (tab.rows[row]?.text.toLowerCase().includes(wanted))
      return { ...select(state, row), isFollowing: false };
  }
  return state;
}

function pressOnCover(
  state: ViewState,
  cover: NonNullable<ViewState["cover"]>,
  key: Key,
  page: number,
): ViewState {
  if (["enter", "escape", "q", "d"].includes(key)) return { ...state, cover: undefined };
  const step = stepOf(key, page);
  if (step === undefined) return state;
  // The view shows the last lines if there are fewer.
  const top = Math.max(0, Math.min(cover.top + step, Number.MAX_SAFE_INTEGER));
  return { ...state, cover: { ...cover, top } };
}

function changeTab(state: ViewState, change: (tab: NodeTab) => NodeTab): ViewState {
  return { ...state, tabs: state.tabs.map((tab, index) => (index === state.current ? change(tab) : tab)) };
}
