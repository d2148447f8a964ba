import { selectNode } from "./made-nodes.js";
import { changedTree, isNode, nodesIn, type SyntaxNode, syntaxNodes, textIn } from "./syntax-tree.js";

/**
 * The tree of a query in which a row and its list, `FROM x, unnest(x.list) AS t(item)`, are read as
 * `FROM (SELECT *, unnest(x.list) AS item FROM x) AS x`. DuckDB computes the first form by a join that changes the order of
 * rows if there is a condition. The order decides which row counts if several have one key.
 * @param tree as DuckDB serializes it, of a query that DuckDB accepts
 * @returns `undefined` if there is nothing of the kind, or if the names that it uses do not allow it
 */
export function withOrderedUnnest(tree: unknown): unknown {
  return changedTree(tree, (node) => (node.type === "SELECT_NODE" ? ordered(node) : undefined));
}

/** A list that is joined with its own row. */
interface OwnList {
  /** The name of the row's table. */
  readonly table: string;
  /** The name of the list's table, and of its column. */
  readonly alias: string;
  readonly column: string;
  readonly left: SyntaxNode;
  readonly unnest: SyntaxNode;
}

/** The column of the items, if no name in the query can mean it. */
const unnamed = "graphloom$item";

function ordered(select: SyntaxNode): SyntaxNode | undefined {
  const found = ownList(select.from_table);
  const groups = [select.modifiers, select.group_expressions, select.group_sets].flatMap(nodesIn);
  if (!found || groups.length > 0) return undefined;
  const { table, alias, column, left, unnest } = found;
  const { from_table: _, ...others } = select;
  const nodes = [...syntaxNodes(others)];
  const stars = nodes.filter((node) => node.class === "STAR");
  const isBare = (node: SyntaxNode): boolean => namesOf(node).length === 1 && namesOf(node)[0] === column;
  // With a star, the name is part of the result. It is safe if the query says that there is no other column of the name.
  const isNamed = stars.length > 0;
  const isUnfit =
    stars.some((star) => textIn(star, "relation_name") !== "") ||
    (isNamed && !nodes.some(isBare)) ||
    nodes.some((node) => node.class === "LAMBDA" || node.class === "SUBQUERY") ||
    (alias !== column && nodes.some((node) => namesOf(node).length === 1 && namesOf(node)[0] === alias));
  if (isUnfit) return undefined;
  const item = isNamed ? column : unnamed;
  const renamed = changedTree(others, (node) => {
    const names = namesOf(node);
    const isItem = isBare(node) || (names.length === 2 && names[0] === alias && names[1] === column);
    return isItem ? { ...node, column_names: [table, item] } : undefined;
  });
  const list = nodesIn(select.select_list).map((written, index) => {
    const now = isNode(renamed) ? nodesIn(renamed.select_list)[index] : undefined;
    const isItem = now !== undefined && now !== written && written.class === "COLUMN_REF";
    return isItem && textIn(written, "alias") === ""
      ? { ...now, alias: lastName(written) }
      : (now ?? written);
  });
  const from_table = {
    type: "SUBQUERY",
    alias: table,
    sample: null,
    subquery: { node: listing(left, { ...unnest, alias: item }), named_param_map: [] },
    column_name_alias: [],
  };
  const made: Readonly<Record<string, unknown>> = isNode(renamed) ? renamed : others;
  // The members keep DuckDB's order.
  return Object.fromEntries(
    Object.keys(select).map((name) => [
      name,
      name === "from_table" ? from_table : name === "select_list" ? list : made[name],
    ]),
  );
}

function ownList(join: unknown): OwnList | undefined {
  if (!isNode(join) || join.type !== "JOIN" || join.ref_type !== "CROSS") return undefined;
  const { left, right } = join;
  if (!isNode(left) || !isNode(right) || right.type !== "TABLE_FUNCTION" || !isNode(right.function))
    return undefined;
  const isTable = left.type === "BASE_TABLE" || left.type === "SUBQUERY";
  const table = textIn(left, "alias") || textIn(left, "table_name");
  const [column = "unnest", ...more] = Array.isArray(right.column_name_alias) ? right.column_name_alias : [];
  const isPlain =
    textIn(right.function, "function_name").toLowerCase() === "unnest" &&
    nodesIn(right.function.children).length === 1 &&
    right.with_ordinality === "WITHOUT_ORDINALITY" &&
    more.length === 0;
  if (!isTable || table === "" || !isPlain) return undefined;
  const alias = (textIn(right, "alias") || "unnest").toLowerCase();
  return { table, alias, column: String(column).toLowerCase(), left, unnest: right.function };
}

/** A SELECT of all columns of a table and an expression, with its members in DuckDB's order. */
function listing(table: SyntaxNode, expression: SyntaxNode): SyntaxNode {
  const star = {
    class: "STAR",
    type: "STAR",
    alias: "",
    relation_name: "",
    exclude_list: [],
    replace_list: [],
    columns: false,
    expr: null,
    qualified_exclude_list: [],
    rename_list: [],
  };
  return selectNode([star, expression], table);
}

/** The names of a column reference in lower case; none for another node. */
function namesOf(node: SyntaxNode): readonly string[] {
  const names: readonly unknown[] = Array.isArray(node.column_names) ? node.column_names : [];
  return node.class === "COLUMN_REF" ? names.map((name) => String(name).toLowerCase()) : [];
}

function lastName(node: SyntaxNode): string {
  const names: readonly unknown[] = Array.isArray(node.column_names) ? node.column_names : [];
  return String(names.at(-1));
}
