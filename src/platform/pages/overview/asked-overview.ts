import { type FigureState, figureStates } from "../../figures/figure.js";

/** The states of a subgraph, from the most to the least serious. About a starting subgraph, nothing is known yet. */
export const standings = [...figureStates, "starting"] as const;

export type Standing = FigureState | "starting";

/** Orders of the overview. By default, failed subgraphs come first. */
export const orders = [
  ["", "failed first"],
  ["behind", "most blocks behind first"],
  ["name", "name"],
  ["newest", "newest first"],
] as const;

export type Order = (typeof orders)[number][0];

/** The part of the overview that an address asks for. Empty texts ask for everything. */
export interface AskedOverview {
  /** Text within a name, a tag or an id of a deployment. */
  readonly search: string;
  readonly state: Standing | "";
  readonly chain: string;
  readonly tag: string;
  readonly order: Order;
  /** From 1. */
  readonly page: number;
}

/** Reads the parameters of an address. It ignores unknown ones. */
export function askedOverview(query: URLSearchParams): AskedOverview {
  const text = (name: string): string => (query.get(name) ?? "").trim().slice(0, 200);
  const page = Math.floor(Number(query.get("page") ?? 1));
  return {
    search: text("q"),
    state: standings.find((each) => each === text("state")) ?? "",
    chain: text("chain"),
    tag: text("tag"),
    order: orders.map(([order]) => order).find((each) => each === text("sort")) ?? "",
    page: page >= 1 && Number.isSafeInteger(page) ? page : 1,
  };
}

/** The address of a part of the overview. */
export function overviewAddress({ search, state, chain, tag, order, page }: AskedOverview): string {
  const query = new URLSearchParams(
    Object.entries({ q: search, state, chain, tag, sort: order, page: page > 1 ? String(page) : "" }).filter(
      ([, value]) => value !== "",
    ),
  );
  return query.size === 0 ? "/" : `/?${String(query)}`;
}
