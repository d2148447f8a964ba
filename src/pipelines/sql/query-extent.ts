import { isNode, nodesIn, type SyntaxNode, textIn } from "./syntax-tree.js";

/**
 * How much the engine has to bind for a query after it has expanded every view, every query of a WITH and every
 * alias. A short text can expand to very much, so this is computed before the engine sees the query.
 */
export interface QueryExtent {
  /** Tables. */
  readonly relations: number;
  /** Columns of the result. */
  readonly columns: number;
  /** Names, values, operators and functions. */
  readonly parts: number;
  /** Operands of the longest AND or OR. */
  readonly operands: number;
}

/** The extent of a table without a filter. @param columns how many it has */
export function extentOfTable(columns: number): QueryExtent {
  return { relations: 1, columns, parts: 0, operands: 0 };
}

/**
 * The extent of a query.
 * @param tree as DuckDB serializes it
 * @param known the extent of a table or view, by its name in lower case
 * @returns numbers that may be larger than what is bound, and can be infinite
 */
export function extentOf(tree: unknown, known: (name: string) => QueryExtent | undefined): QueryExtent {
  const statements = isNode(tree) ? nodesIn(tree.statements) : [];
  const measure = new Measure(known);
  return sumOf(statements.map(({ node }) => (isNode(node) ? measure.query(node, new Map()) : none)));
}

const none: QueryExtent = { relations: 0, columns: 0, parts: 0, operands: 0 };

/** The definitions of names in lower case: queries of a WITH, or aliases. */
type Scope = ReadonlyMap<string, QueryExtent>;

/** The context of an expression. */
interface Place {
  readonly scope: Scope;
  /** Aliases that it may use. */
  readonly aliases: Scope;
}

const noAliases: Scope = new Map();

class Measure {
  readonly #known: (name: string) => QueryExtent | undefined;

  constructor(known: (name: string) => QueryExtent | undefined) {
    this.#known = known;
  }

  query(node: SyntaxNode, around: Scope): QueryExtent {
    const scope = this.#with(node, around);
    const { columns, ...whole } =
      node.type === "SELECT_NODE" ? this.#select(node, scope) : this.#sides(node, scope);
    const rest = this.#all(node.modifiers, { scope, aliases: noAliases });
    return { ...sumOf([{ ...whole, columns: 0 }, rest]), columns };
  }

  #with(node: SyntaxNode, around: Scope): Scope {
    const scope = new Map(around);
    for (const { key, value } of isNode(node.cte_map) ? nodesIn(node.cte_map.map) : []) {
      const query = isNode(value) && isNode(value.query) ? value.query.node : undefined;
      if (typeof key === "string" && isNode(query)) scope.set(key.toLowerCase(), this.query(query, scope));
    }
    return scope;
  }

  /** A UNION or a recursive query. */
  #sides(node: SyntaxNode, scope: Scope): QueryExtent {
    const sides = [node.left, node.right, ...nodesIn(node.children)].flatMap((side) =>
      isNode(side) ? [this.query(side, scope)] : [],
    );
    return { ...sumOf(sides), columns: Math.max(0, ...sides.map(({ columns }) => columns)) };
  }

  #select(node: SyntaxNode, scope: Scope): QueryExtent {
    const from = this.#relation(node.from_table, scope);
    const aliases = new Map<string, QueryExtent>();
    const place = { scope, aliases };
    const items = nodesIn(node.select_list).map((item) => {
      const own = this.#all(item, place);
      // A star inside an expression repeats the whole expression.
      const times = hasStar(item) ? Math.max(1, from.columns) : 1;
      const extent = { ...own, columns: times, parts: own.parts * times };
      const alias = textIn(item, "alias").toLowerCase();
      if (alias !== "") aliases.set(alias, extent);
      return extent;
    });
    const others = [node.where_clause, node.having, node.qualify, node.group_expressions].map((part) =>
      this.#all(part, place),
    );
    const columns = items.reduce((sum, item) => sum + item.columns, 0);
    return { ...sumOf([from, ...items, ...others]), columns };
  }

  #relation(part: unknown, scope: Scope): QueryExtent {
    if (!isNode(part)) return none;
    const place = { scope, aliases: noAliases };
    if (part.type === "BASE_TABLE") {
      const name = ["catalog_name", "schema_name", "table_name"]
        .map((one) => textIn(part, one).toLowerCase())
        .filter((one) => one !== "")
        .join(".");
      return scope.get(name) ?? this.#known(name) ?? extentOfTable(1);
    }
    if (part.type === "SUBQUERY" && isNode(part.subquery) && isNode(part.subquery.node))
      return this.query(part.subquery.node, scope);
    if (part.type === "JOIN")
      return sumOf([
        this.#relation(part.left, scope),
        this.#relation(part.right, scope),
        { ...this.#all(part.condition, place), columns: 0 },
      ]);
    const inside = this.#all({ ...part, type: "" }, place);
    return part.type === "EMPTY" ? none : { ...inside, relations: inside.relations + 1, columns: 1 };
  }

  /** Everything in a part of a query, without columns. */
  #all(part: unknown, place: Place): QueryExtent {
    let [relations, parts, operands] = [0, 0, 0];
    const take = (extent: QueryExtent): void => {
      relations += extent.relations;
      parts += extent.parts;
      operands = Math.max(operands, extent.operands);
    };
    const left: unknown[] = [part];
    while (left.length > 0) {
      const next = left.pop();
      if (Array.isArray(next)) for (const item of next) left.push(item);
      if (!isNode(next)) continue;
      if (
        next.type === "SELECT_NODE" ||
        next.type === "SET_OPERATION_NODE" ||
        next.type === "RECURSIVE_CTE_NODE"
      ) {
        take(this.query(next, place.scope));
        continue;
      }
      if (typeof next.class === "string") parts += 1;
      const { column_names: names } = next;
      const [name] = Array.isArray(names) && names.length === 1 ? names : [];
      const meant = typeof name === "string" ? place.aliases.get(name.toLowerCase()) : undefined;
      if (meant) take(meant);
      if (next.class === "CONJUNCTION") operands = Math.max(operands, nodesIn(next.children).length);
      for (const value of Object.values(next)) if (typeof value === "object") left.push(value);
    }
    return { relations, columns: 0, parts, operands };
  }
}

/** Whether an expression expands to several columns: `*`, `t.*` or `COLUMNS(…)`. */
function hasStar(part: unknown): boolean {
  const left: unknown[] = [part];
  while (left.length > 0) {
    const next = left.pop();
    if (Array.isArray(next)) for (const item of next) left.push(item);
    if (!isNode(next)) continue;
    if (next.class === "STAR") return true;
    for (const [name, value] of Object.entries(next))
      if (name !== "subquery" && typeof value === "object") left.push(value);
  }
  return false;
}

function sumOf(extents: readonly QueryExtent[]): QueryExtent {
  let [relations, columns, parts, operands] = [0, 0, 0, 0];
  for (const one of extents) {
    relations += one.relations;
    columns += one.columns;
    parts += one.parts;
    operands = Math.max(operands, one.operands);
  }
  return { relations, columns, parts, operands };
}
