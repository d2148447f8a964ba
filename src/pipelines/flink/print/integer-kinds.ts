import type { RowColumn } from "../../changes/schema.js";
import { allNodes, isNode, nodesIn, type SyntaxNode, textIn } from "../../sql/syntax-tree.js";

/**
 * What an expression is to Flink when integers of 256 bits are text: such an integer, an integer that Flink has as a
 * number, or something else. `unclear` may be an integer of 256 bits.
 */
export type Kind = "large" | "integer" | "other" | "unclear";

/** Whether something of a kind has to be treated as an integer of 256 bits. */
export function mayBeLarge(kind: Kind | undefined): boolean {
  return kind === "large" || kind === "unclear";
}

/** A table that a query may read. */
export interface ReadTable {
  readonly name: string;
  readonly columns: readonly RowColumn[];
}

/** A column of a query's result. */
interface Output {
  /** In lower case; empty if it has no name. */
  readonly name: string;
  readonly kind: Kind | undefined;
}

/**
 * Finds the integers of 256 bits in a query, by the names of columns. A name with several meanings is unclear, since it
 * is not resolved in which part of the query it stands.
 */
export class IntegerKinds {
  readonly #tables: ReadonlyMap<string, ReadTable>;
  /** The queries that WITH defines, by their names in lower case. */
  readonly #named = new Map<string, { readonly aliases: readonly string[]; readonly query: unknown }>();
  /** By names in lower case. */
  #columns: ReadonlyMap<string, Kind> = new Map();
  readonly #hasLarge: boolean;
  /** The kind of names that are not known: `undefined` until all names have been read. */
  #unknown: Kind | undefined;

  /**
   * @param tree as DuckDB serializes it
   * @param tables by their names in lower case
   */
  constructor(tree: unknown, tables: ReadonlyMap<string, ReadTable>) {
    this.#tables = tables;
    const nodes = [...allNodes(tree)];
    for (const entry of nodes.flatMap((node) => (isNode(node.cte_map) ? nodesIn(node.cte_map.map) : []))) {
      const { aliases, query } = isNode(entry.value) ? entry.value : {};
      const found = { aliases: namesIn(aliases), query: isNode(query) ? query.node : undefined };
      this.#named.set(textIn(entry, "key").toLowerCase(), found);
    }
    this.#hasLarge = nodes.some(
      (node) =>
        isBignum(node.cast_type) ||
        tables.get(textIn(node, "table_name").toLowerCase())?.columns.some(({ type }) => type === "DECIMAL"),
    );
    // A name may stand for another name, so that this ends when nothing changes any more.
    for (let before = -1; this.#hasLarge && before !== weightOf(this.#columns); ) {
      before = weightOf(this.#columns);
      this.#columns = this.#columnsOf(nodes);
    }
    this.#unknown = "unclear";
  }

  /** The kind of an expression; `undefined` if it is null. */
  of(expression: unknown): Kind | undefined {
    if (!this.#hasLarge || !isNode(expression)) return "other";
    const node = expression;
    switch (node.class) {
      case "COLUMN_REF": {
        const name = namesIn(node.column_names).at(-1) ?? "";
        return this.#columns.get(name) ?? this.#unknown;
      }
      case "CONSTANT": {
        const value = isNode(node.value) ? node.value : {};
        return value.is_null === true ? undefined : kindOfType(value.type);
      }
      case "CAST":
        return kindOfType(node.cast_type);
      case "CASE": {
        const results = nodesIn(node.case_checks).map((check) => check.then_expr);
        return this.#common([...results, node.else_expr]);
      }
      case "OPERATOR":
        return node.type === "OPERATOR_COALESCE" ? this.#common(nodesIn(node.children)) : "other";
      case "SUBQUERY":
        return node.subquery_type === "SCALAR" ? this.ofQuery(node.subquery)?.at(0)?.kind : "other";
      case "FUNCTION":
      case "WINDOW":
        return this.#ofCall(node);
      default:
        return "other";
    }
  }

  /** Whether an expression is an integer of 256 bits, or may be one. */
  isLarge(expression: unknown): boolean {
    return mayBeLarge(this.of(expression));
  }

  /** The columns of a subquery, in order; `undefined` if they are unknown. */
  ofQuery(subquery: unknown): readonly Output[] | undefined {
    return this.outputs(isNode(subquery) ? subquery.node : undefined);
  }

  /** The columns of a query, in order; `undefined` if they are unknown. */
  outputs(query: unknown): readonly Output[] | undefined {
    const node = isNode(query) ? query : {};
    if (node.type === "SET_OPERATION_NODE") return this.outputs(node.left);
    const from = isNode(node.from_table) ? node.from_table : {};
    if (from.type === "EXPRESSION_LIST") return this.#ofValues(from.values);
    const outputs: Output[] = [];
    for (const item of nodesIn(node.select_list)) {
      if (item.class === "STAR") {
        const all = this.#ofTable(from);
        if (!all) return undefined;
        outputs.push(...all);
        continue;
      }
      const { alias, ...rest } = item;
      const name =
        typeof alias === "string" && alias !== "" ? alias : (namesIn(rest.column_names).at(-1) ?? "");
      outputs.push({ name: name.toLowerCase(), kind: this.of(rest) });
    }
    return outputs;
  }

  /** The columns of a table, a WITH or a subquery; `undefined` for others. */
  #ofTable(from: SyntaxNode): readonly Output[] | undefined {
    const given = namesIn(from.column_name_alias);
    if (from.type === "SUBQUERY") return renamed(this.ofQuery(from.subquery), given);
    if (from.type !== "BASE_TABLE") return undefined;
    const key = textIn(from, "table_name").toLowerCase();
    const named = this.#named.get(key);
    if (named) return renamed(renamed(this.outputs(named.query), named.aliases), given);
    return renamed(this.#tables.get(key)?.columns.map(outputOf), given);
  }

  #ofValues(rows: unknown): readonly Output[] {
    const lists = (Array.isArray(rows) ? rows : []).map((row: unknown) => nodesIn(row));
    return (lists[0] ?? []).map((_, index) => ({
      name: "",
      kind: this.#common(lists.map((list) => list[index])),
    }));
  }

  #ofCall(node: SyntaxNode): Kind | undefined {
    const name = textIn(node, "function_name").toLowerCase();
    const args = nodesIn(node.children);
    if (passing.has(name)) return this.#common([args[0], node.default_expr, ...args.slice(2)].filter(isNode));
    if (counting.has(name)) return "integer";
    if (!whole.has(name)) return "other";
    const kind = this.#common(args);
    return kind === "large" && !exact.has(name) ? "other" : kind;
  }

  /** The kind of a value that is one of several. */
  #common(expressions: readonly unknown[]): Kind | undefined {
    const kinds = new Set(expressions.map((one) => this.of(one)).filter((kind) => kind !== undefined));
    if (kinds.size <= 1) return [...kinds][0];
    if (kinds.has("unclear")) return "unclear";
    if (kinds.has("large")) return kinds.has("other") ? "unclear" : "large";
    return "other";
  }

  /** What the names of a query stand for, as far as is known. */
  #columnsOf(nodes: readonly SyntaxNode[]): ReadonlyMap<string, Kind> {
    const columns = new Map(this.#columns);
    const add = ({ name, kind }: Output): void => {
      const before = columns.get(name) ?? kind;
      if (kind !== undefined) columns.set(name, before === kind ? kind : "unclear");
    };
    for (const node of nodes) {
      for (const item of nodesIn(node.select_list))
        if (textIn(item, "alias") !== "")
          add({ name: textIn(item, "alias").toLowerCase(), kind: this.of({ ...item, alias: "" }) });
      const given = namesIn(node.column_name_alias);
      const found = this.#ofTable(node);
      if (node.type === "BASE_TABLE" && this.#tables.has(textIn(node, "table_name").toLowerCase()))
        for (const column of found ?? []) add(column);
      for (const [index, name] of given.entries())
        add({
          name,
          kind: found ? found[index]?.kind : node.type === "TABLE_FUNCTION" ? "other" : "unclear",
        });
    }
    for (const { aliases, query } of this.#named.values()) {
      const outputs = this.outputs(query);
      for (const [index, name] of aliases.entries())
        add({ name, kind: outputs ? outputs[index]?.kind : "unclear" });
    }
    return columns;
  }
}

/** Functions that return one of their arguments. */
const passing = new Set(["min", "max", "nullif", "first_value", "last_value", "lag", "lead"]);
const counting = new Set(["count", "count_star", "row_number", "rank", "dense_rank", "ntile", "length"]);
/** Functions of integers that return integers. */
const whole = new Set(["+", "-", "*", "%", "mod", "abs", "sum", "sign"]);
/** Functions that are exact for integers of 256 bits. */
const exact = new Set(["+", "-", "abs", "sum"]);

function isBignum(type: unknown): boolean {
  return isNode(type) && type.id === "BIGNUM";
}

function kindOfType(type: unknown): Kind {
  const { id, type_info: info } = isNode(type) ? type : {};
  if (id === "BIGNUM") return "large";
  if (id === "DECIMAL") return isNode(info) && Number(info.scale ?? 0) === 0 ? "integer" : "other";
  return /^U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?$/.test(String(id)) ? "integer" : "other";
}

function outputOf({ name, type }: RowColumn): Output {
  const kind = type === "DECIMAL" ? "large" : type === "LONG" ? "integer" : "other";
  return { name: name.toLowerCase(), kind };
}

function renamed(
  outputs: readonly Output[] | undefined,
  names: readonly string[],
): readonly Output[] | undefined {
  return outputs?.map(({ name, kind }, index) => ({ name: names[index] ?? name, kind }));
}

function namesIn(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.map((name) => String(name).toLowerCase()) : [];
}

/** How much is known, which only grows. */
function weightOf(columns: ReadonlyMap<string, Kind>): number {
  return [...columns.values()].reduce((sum, kind) => sum + (kind === "unclear" ? 2 : 1), 0);
}
