import { isNode, type SyntaxNode } from "../sql/syntax-tree.js";
import type { IntegerForm } from "./column-types.js";

/** Prints an expression where it is needed. */
export interface ExpressionPrinter {
  readonly integers: IntegerForm;
  expression(node: unknown): string;
}

/** Prints a call in Flink's SQL; `undefined` if there is no form with these arguments. */
export type PrintCall = (
  args: readonly SyntaxNode[],
  printer: ExpressionPrinter,
  isDistinct: boolean,
) => string | undefined;

/** A function that has the same arguments and results in Flink. */
function sameNamed(name: string, least: number, most = least): PrintCall {
  return (args, printer, isDistinct) =>
    args.length < least || args.length > most || isDistinct
      ? undefined
      : `${name}(${args.map((one) => printer.expression(one)).join(", ")})`;
}

function aggregate(name: string): PrintCall {
  return ([arg, ...more], printer, isDistinct) =>
    arg && more.length === 0
      ? `${name}(${isDistinct ? "DISTINCT " : ""}${printer.expression(arg)})`
      : undefined;
}

function binary(sign: string): PrintCall {
  return ([left, right, ...more], printer) =>
    left && right && more.length === 0
      ? `(${printer.expression(left)} ${sign} ${printer.expression(right)})`
      : undefined;
}

/** A sign of one or two operands. */
function sign(text: string): PrintCall {
  return (args, printer, isDistinct) => {
    const [arg] = args;
    return args.length === 1 && arg
      ? `(${text}${printer.expression(arg)})`
      : binary(text)(args, printer, isDistinct);
  };
}

/** Units of time that both engines count alike. */
const units: ReadonlySet<string> = new Set(["year", "quarter", "month", "day", "hour", "minute", "second"]);

function unitOf(node: SyntaxNode | undefined): string | undefined {
  const value = node?.class === "CONSTANT" && isNode(node.value) ? node.value.value : undefined;
  const unit = typeof value === "string" ? value.toLowerCase() : "";
  return units.has(unit) ? unit.toUpperCase() : undefined;
}

const functions: ReadonlyMap<string, PrintCall> = new Map<string, PrintCall>([
  ["+", sign("+")],
  ["-", sign("-")],
  ["*", binary("*")],
  ["/", binary("/")],
  ["%", binary("%")],
  ["mod", binary("%")],
  ["||", binary("||")],
  ["~~", binary("LIKE")],
  ["!~~", binary("NOT LIKE")],
  [
    "list_value",
    (args, printer) =>
      args.length === 0 ? undefined : `ARRAY[${args.map((one) => printer.expression(one)).join(", ")}]`,
  ],
  ["count_star", (args) => (args.length === 0 ? "COUNT(*)" : undefined)],
  ...["count", "sum", "min", "max", "avg"].map((name) => [name, aggregate(name.toUpperCase())] as const),
  ...["abs", "sqrt", "exp", "ln", "sign", "floor", "upper", "lower", "trim", "ltrim", "rtrim", "reverse"].map(
    (name) => [name, sameNamed(name.toUpperCase(), 1)] as const,
  ),
  ...["md5", "sha256"].map((name) => [name, sameNamed(name.toUpperCase(), 1)] as const),
  ["ceil", sameNamed("CEIL", 1)],
  ["ceiling", sameNamed("CEIL", 1)],
  ["round", sameNamed("ROUND", 1, 2)],
  ["power", sameNamed("POWER", 2)],
  ["pow", sameNamed("POWER", 2)],
  ["nullif", sameNamed("NULLIF", 2)],
  ["replace", sameNamed("REPLACE", 3)],
  ["substring", sameNamed("SUBSTRING", 2, 3)],
  ["substr", sameNamed("SUBSTRING", 2, 3)],
  ["left", sameNamed("LEFT", 2)],
  ["right", sameNamed("RIGHT", 2)],
  ["repeat", sameNamed("REPEAT", 2)],
  ["lpad", sameNamed("LPAD", 3)],
  ["rpad", sameNamed("RPAD", 3)],
  ...["length", "char_length", "character_length"].map(
    (name) => [name, sameNamed("CHAR_LENGTH", 1)] as const,
  ),
  ...["position", "strpos", "instr"].map((name): [string, PrintCall] => [
    name,
    ([text, part, ...more], printer) =>
      text && part && more.length === 0
        ? `POSITION(${printer.expression(part)} IN ${printer.expression(text)})`
        : undefined,
  ]),
  [
    // DuckDB skips nulls, whereas Flink returns null.
    "concat",
    (args, printer) =>
      args.length === 0
        ? undefined
        : `CONCAT(${args.map((one) => `COALESCE(CAST(${printer.expression(one)} AS STRING), '')`).join(", ")})`,
  ],
  [
    "date_part",
    ([unit, time, ...more], printer) => {
      const name = unitOf(unit);
      return name && time && more.length === 0
        ? `EXTRACT(${name} FROM ${printer.expression(time)})`
        : undefined;
    },
  ],
  [
    "date_trunc",
    ([unit, time, ...more], printer) => {
      const name = unitOf(unit);
      return name && time && more.length === 0 ? `FLOOR(${printer.expression(time)} TO ${name})` : undefined;
    },
  ],
  ...["row_number", "rank", "dense_rank"].map((name) => [name, sameNamed(name.toUpperCase(), 0)] as const),
  ...["first_value", "last_value"].map((name) => [name, sameNamed(name.toUpperCase(), 1)] as const),
  ["ntile", sameNamed("NTILE", 1)],
  ["lag", sameNamed("LAG", 1, 3)],
  ["lead", sameNamed("LEAD", 1, 3)],
]);

/** Prints a function of DuckDB for Flink; `undefined` if Flink has no function with the same meaning. */
export function flinkFunction(name: string): PrintCall | undefined {
  return functions.get(name);
}
