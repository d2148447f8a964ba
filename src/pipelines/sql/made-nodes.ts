import type { SyntaxNode } from "./syntax-tree.js";

/** A type without parameters. */
export function typeNamed(id: string): SyntaxNode {
  return { id, type_info: null };
}

/** A column. @param names its name, after that of its table if any */
export function column(...names: readonly string[]): SyntaxNode {
  return { class: "COLUMN_REF", type: "COLUMN_REF", alias: "", column_names: names };
}

/** A value of a type. */
export function constant(type: string, value: string | number): SyntaxNode {
  const held = { type: typeNamed(type), is_null: false, value };
  return { class: "CONSTANT", type: "VALUE_CONSTANT", alias: "", value: held };
}

/** A cast, or a TRY_CAST. */
export function castOf(child: unknown, type: SyntaxNode, isTry: unknown): SyntaxNode {
  return {
    class: "CAST",
    type: "OPERATOR_CAST",
    alias: "",
    child,
    cast_type: type,
    try_cast: isTry === true,
  };
}

/** A call of a function. */
export function call(name: string, children: readonly unknown[]): SyntaxNode {
  return {
    class: "FUNCTION",
    type: "FUNCTION",
    alias: "",
    function_name: name,
    schema: "",
    children,
    filter: null,
    order_bys: { type: "ORDER_MODIFIER", orders: [] },
    distinct: false,
    is_operator: false,
    export_state: false,
    catalog: "",
  };
}

/** A SELECT of expressions from a table, with its members in DuckDB's order. */
export function selectNode(select_list: readonly unknown[], from_table: SyntaxNode): SyntaxNode {
  return {
    type: "SELECT_NODE",
    modifiers: [],
    cte_map: { map: [] },
    select_list,
    from_table,
    where_clause: null,
    group_expressions: [],
    group_sets: [],
    aggregate_handling: "STANDARD_HANDLING",
    having: null,
    sample: null,
    qualify: null,
  };
}
