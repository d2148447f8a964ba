import { quote } from "../../base/text/quote.js";
import { call, castOf, column, constant, typeNamed } from "./made-nodes.js";
import { allNodes, changedTree, isNode, nodesIn, type SyntaxNode, textIn } from "./syntax-tree.js";

/** A join of each row with the one row of a list that has its key. */
export interface LookupJoin {
  /** The list: a query of `VALUES`, or the name of a lookup of the definition. */
  readonly list: SyntaxNode | string;
  /** The name by which the query refers to the list. */
  readonly alias: string;
  /** The columns of the list, as far as the query names them. */
  readonly columns: readonly string[];
  /** The columns of the list that are compared, each with an expression of the row. */
  readonly keys: readonly { readonly column: string; readonly value: SyntaxNode }[];
  /** Whether a row without a match stays. */
  readonly isLeft: boolean;
}

/** Why rows cannot be looked up like this, and the way out. */
export interface LookupFault {
  readonly message: string;
  readonly hint: string;
  readonly at: SyntaxNode;
}

/** The schema of tables in which joins look rows up. The first row of each is empty: it stands for a missing one. */
const lookupSchema = "graphloom$lookups";

/** The name of a table of rows. @param list a name, or the list of the join with this index in the query of a view */
export function lookupName(list: LookupJoin["list"], view: string, index: number): string {
  return `${lookupSchema}.${typeof list === "string" ? list.toLowerCase() : `${view} ${index + 1}`}`;
}

/** The function that returns the number of the row with a key. @param keys how many columns the key has */
export function finderName(keys: number): string {
  return `graphloom$find${keys}`;
}

/** A lookup of the definition, as queries see it. */
export interface DeclaredLookup {
  readonly name: string;
  readonly columns: readonly string[];
  readonly key: readonly string[];
}

interface NamedList extends Pick<LookupJoin, "list" | "columns"> {
  /** The columns by which it is looked up; absent if any will do. */
  readonly key?: readonly string[];
}

/** Lists with names, by name in lower case: the ones that WITH defines, and lookups of the definition. */
export type NamedLists = ReadonlyMap<string, NamedList>;

/** Finds the lists of a query that have names. A name that the query defines several times is left out. */
export function listsIn(tree: unknown, declared: readonly DeclaredLookup[]): NamedLists {
  const lists = new Map<string, NamedList>(
    declared.map(({ name, ...one }) => [name.toLowerCase(), { list: name, ...one }]),
  );
  const defined = new Set<string>();
  for (const { cte_map: named } of allNodes(tree))
    for (const { key, value } of isNode(named) ? nodesIn(named.map) : []) {
      const name = String(key).toLowerCase();
      const list = isNode(value) ? queryOf(value.query) : undefined;
      if (!defined.has(name) && isList(list) && isNode(value))
        lists.set(name, { list, columns: textsIn(value.aliases) });
      else lists.delete(name);
      defined.add(name);
    }
  return lists;
}

/** Whether a query is `VALUES` and nothing more. */
export function isList(query: unknown): query is SyntaxNode {
  if (!isNode(query) || query.type !== "SELECT_NODE") return false;
  const [star, ...others] = nodesIn(query.select_list);
  return (
    isNode(query.from_table) &&
    query.from_table.type === "EXPRESSION_LIST" &&
    star?.class === "STAR" &&
    others.length === 0 &&
    !isNode(query.where_clause) &&
    nodesIn(query.modifiers).length === 0
  );
}

function queryOf(part: unknown): unknown {
  return isNode(part) ? part.node : undefined;
}

/** The lookup that a join makes; `undefined` if it joins something else than a list. */
export function lookupIn(join: SyntaxNode, lists: NamedLists): LookupJoin | LookupFault | undefined {
  const found = isNode(join.right) ? listOf(join.right, lists) : undefined;
  if (!found) return undefined;
  const refuse = (message: string, hint: string, at = join): LookupFault => ({ message, hint, at });
  const { list, alias, columns, key } = found;
  if (alias === "") return refuse("the joined list has no name", "write (VALUES …) AS t(key, value)");
  const compared = (key ?? columns.slice(0, 1)).map((name) => `${alias}.${name} = <column of the row>`);
  const way = `write LEFT JOIN … AS ${alias} ON ${compared.join(" AND ") || "t.key = <column of the row>"}`;
  const kind = join.ref_type === "REGULAR" ? textIn(join, "join_type") : textIn(join, "ref_type");
  if (kind !== "LEFT" && kind !== "INNER")
    return refuse(`a ${kind.toLowerCase()} join cannot look rows up in a list`, way);
  if (!isNode(join.condition)) return refuse("a list is joined ON its key", way);
  if (columns.some((name) => name.toLowerCase() === "rowid"))
    return refuse("a column of a list cannot be called rowid", "choose another name");
  if (found.isRenamed)
    return refuse(
      "the columns of a lookup have their own names",
      `write AS ${alias}, and choose names in SELECT`,
    );
  const keys: LookupJoin["keys"][number][] = [];
  for (const part of conjuncts(join.condition)) {
    const one = keyOf(part, found);
    if (!one)
      return refuse(
        "a list is looked up by equality of its columns with expressions of the row",
        `${way}; put other conditions into WHERE or CASE`,
        part,
      );
    keys.push(one);
  }
  const place = ({ column: name }: { readonly column: string }): number =>
    (key ?? []).findIndex((one) => one.toLowerCase() === name.toLowerCase());
  if (key && keys.map(place).sort().join() !== [...key.keys()].join())
    return refuse(`${quote(String(list))} is looked up by ${key.join(" and ")}`, way);
  if (key) keys.sort((one, other) => place(one) - place(other));
  return { list, alias, columns, keys, isLeft: kind === "LEFT" };
}

interface FoundList extends NamedList {
  readonly alias: string;
  /** Whether a lookup of the definition gets other names of columns. */
  readonly isRenamed: boolean;
}

function listOf(right: SyntaxNode, lists: NamedLists): FoundList | undefined {
  const own = textsIn(right.column_name_alias);
  const alias = textIn(right, "alias");
  if (right.type === "SUBQUERY") {
    const list = queryOf(right.subquery);
    return isList(list) ? { list, alias, columns: own, isRenamed: false } : undefined;
  }
  const name = textIn(right, "table_name");
  if (right.type !== "BASE_TABLE") return undefined;
  const schema = textIn(right, "schema_name");
  const found = lists.get((schema === "" ? name : `${schema}.${name}`).toLowerCase());
  if (!found) return undefined;
  const isRenamed = own.length > 0 && found.key !== undefined;
  return { ...found, alias: alias || name, columns: own.length > 0 ? own : found.columns, isRenamed };
}

function conjuncts(condition: SyntaxNode): readonly SyntaxNode[] {
  return condition.type === "CONJUNCTION_AND" ? nodesIn(condition.children).flatMap(conjuncts) : [condition];
}

/** The column and the expression that an equation compares; `undefined` if it is none of those. */
function keyOf(
  { type, left, right }: SyntaxNode,
  { alias, columns }: Pick<LookupJoin, "alias" | "columns">,
): LookupJoin["keys"][number] | undefined {
  if (type !== "COMPARE_EQUAL" || !isNode(left) || !isNode(right)) return undefined;
  const isAlias = (name: string | undefined): boolean => name?.toLowerCase() === alias.toLowerCase();
  const ownColumn = (side: SyntaxNode): string | undefined => {
    const [first, second, ...more] = side.class === "COLUMN_REF" ? textsIn(side.column_names) : [];
    if (second !== undefined) return isAlias(first) && more.length === 0 ? second : undefined;
    return columns.find((name) => name.toLowerCase() === first?.toLowerCase());
  };
  const mentions = (side: SyntaxNode): boolean =>
    [...allNodes(side)].some((node) => {
      const names = node.class === "COLUMN_REF" ? textsIn(node.column_names) : [];
      return names.length > 1 && isAlias(names[0]);
    });
  for (const [own, value] of [
    [left, right],
    [right, left],
  ] as const) {
    const name = ownColumn(own);
    if (name !== undefined && !mentions(value)) return { column: name, value };
  }
  return undefined;
}

/** The lookups of a query without faults, each with its join, in the order in which `changedTree` gives them. */
export function lookupsIn(
  tree: unknown,
  declared: readonly DeclaredLookup[],
): readonly { readonly join: SyntaxNode; readonly lookup: LookupJoin }[] {
  const lists = listsIn(tree, declared);
  return [...insideOut(tree)].flatMap((join) => {
    const lookup = join.type === "JOIN" ? lookupIn(join, lists) : undefined;
    return lookup && "list" in lookup ? [{ join, lookup }] : [];
  });
}

function* insideOut(part: unknown): Generator<SyntaxNode> {
  if (Array.isArray(part)) for (const item of part) yield* insideOut(item);
  if (!isNode(part)) return;
  for (const value of Object.values(part)) yield* insideOut(value);
  yield part;
}

/**
 * A tree whose lookups join the table of the list by the number of the row. Such a join keeps the order of the rows,
 * unlike an outer join, and never repeats a row.
 * @param tree as DuckDB serializes it in full
 * @param view the name of the query's view
 */
export function withLookups(tree: unknown, view: string, declared: readonly DeclaredLookup[]): unknown {
  const lists = listsIn(tree, declared);
  let index = 0;
  return changedTree(tree, (join) => {
    const lookup = join.type === "JOIN" ? lookupIn(join, lists) : undefined;
    if (!lookup || !("list" in lookup)) return undefined;
    const name = lookupName(lookup.list, view, index);
    index += 1;
    return { ...join, join_type: "INNER", right: tableNode(name, lookup), condition: found(name, lookup) };
  });
}

function tableNode(name: string, { alias }: LookupJoin): SyntaxNode {
  return {
    type: "BASE_TABLE",
    alias,
    sample: null,
    schema_name: lookupSchema,
    table_name: name.slice(lookupSchema.length + 1),
    column_name_alias: [],
    catalog_name: "",
    at_clause: null,
  };
}

function found(name: string, { alias, keys, isLeft }: LookupJoin): SyntaxNode {
  const texts = keys.map(({ value }) => castOf(value, typeNamed("VARCHAR"), false));
  const number = call(finderName(keys.length), [constant("VARCHAR", name), ...texts]);
  const orEmpty = {
    class: "OPERATOR",
    type: "OPERATOR_COALESCE",
    alias: "",
    children: [number, constant("INTEGER", 0)],
  };
  return {
    class: "COMPARISON",
    type: "COMPARE_EQUAL",
    alias: "",
    left: column(alias, "rowid"),
    right: isLeft ? orEmpty : number,
  };
}

/** The statement that lists the rows of a lookup. @param tree as DuckDB serializes it in full */
export function listStatement(tree: unknown, index: number, declared: readonly DeclaredLookup[]): unknown {
  const list = lookupsIn(tree, declared)[index]?.lookup.list;
  return isNode(list) ? statementOf(tree, list) : undefined;
}

/** The statement that selects the keys of a lookup from the rows that it is joined with. */
export function keysStatement(tree: unknown, index: number, declared: readonly DeclaredLookup[]): unknown {
  const one = lookupsIn(tree, declared)[index];
  const around = one && selectAround(tree, one.join, []);
  if (!around) return undefined;
  const { select, named } = around;
  return statementOf(tree, {
    ...select,
    modifiers: [],
    cte_map: { map: named },
    select_list: one.lookup.keys.map(({ value }, key) => ({ ...value, alias: `key${key + 1}` })),
    from_table: one.join.left,
    where_clause: null,
    group_expressions: [],
    group_sets: [],
    aggregate_handling: "STANDARD_HANDLING",
    having: null,
    sample: null,
    qualify: null,
  });
}

function statementOf(tree: unknown, node: SyntaxNode): unknown {
  const [statement] = isNode(tree) ? nodesIn(tree.statements) : [];
  return isNode(tree) ? { ...tree, statements: [{ ...statement, node }] } : undefined;
}

/** The innermost SELECT around a join, and all that WITH names before it. */
function selectAround(
  part: unknown,
  join: SyntaxNode,
  before: readonly SyntaxNode[],
  select?: SyntaxNode,
): { readonly select: SyntaxNode; readonly named: readonly SyntaxNode[] } | undefined {
  if (part === join) return select && { select, named: before };
  const children: readonly unknown[] = Array.isArray(part) ? part : isNode(part) ? Object.values(part) : [];
  const own = isNode(part) && isNode(part.cte_map) ? nodesIn(part.cte_map.map) : [];
  const named = [...before, ...own];
  const inner = isNode(part) && part.type === "SELECT_NODE" ? part : select;
  for (const child of children) {
    const around = selectAround(child, join, named, inner);
    if (around) return around;
  }
  return undefined;
}

function textsIn(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.filter((one): one is string => typeof one === "string") : [];
}
