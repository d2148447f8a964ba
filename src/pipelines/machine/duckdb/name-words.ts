import { functionHint } from "../../sql/other-dialects.js";
import { near, shortened, type Translation, typeName, typesIn } from "./translation.js";

const operators: Readonly<Record<string, string>> = {
  "~~": "LIKE",
  "!~~": "NOT LIKE",
  "~~*": "ILIKE",
  "!~~*": "NOT ILIKE",
};

/** A call with arguments that the function does not take. */
function misfit(name: string, list: string): string {
  const types = typesIn(list);
  const shown = operators[name] ?? name;
  if (!/^\w+$/.test(name)) return `${shown} cannot be applied to ${types.join(" and ")}`;
  return types.length === 0 ? `${name}() requires arguments` : `${name}() does not take ${types.join(", ")}`;
}

const moments = /^(?:date_|time|strftime|extract|year|month|day|hour|minute|age|epoch|last_day|to_|\+$|-$)/;

function misfitHint(name: string, list: string, ...forms: string[]): string | undefined {
  const other = functionHint(name);
  if (other !== undefined) return other;
  const types = typesIn(list);
  if (
    moments.test(name) &&
    types.includes("BIGINT") &&
    (types.includes("INTERVAL") || types.length > 1 || /^\w/.test(name))
  )
    return "block_timestamp is in seconds since 1970: write to_timestamp(block_timestamp) for a time";
  if (!/^\w+$/.test(name)) return "cast one of them, as in CAST(value AS BIGINT) or CAST(value AS VARCHAR)";
  const own = forms.filter((form) => form.startsWith(`${name}(`)).map((form) => form.replace(/ -> .*/, ""));
  const few = [...new Set(own)].slice(0, 3);
  return few.length === 0
    ? "cast the arguments, as in CAST(value AS VARCHAR)"
    : `write ${few.join(" or ")}, with casts such as CAST(value AS VARCHAR)`;
}

const wideHint =
  "leave the cast out, since integers are exact up to 256 bits, or use DECIMAL(38, s) for numbers with a fraction";
const bignum = "BIGNUM is the type of integers of up to 256 bits";

function unknownFunction(name: string, ...others: string[]): string | undefined {
  return functionHint(name) ?? near(...others);
}

function typeHint(name: string): string {
  if (/^u?int(?:128|256)$|^number$|^biginteger$/i.test(name))
    return "write NUMERIC(78, 0), which holds 256 bits";
  return /^jsonb$/i.test(name) ? "write JSON" : types;
}

const types =
  "the types are VARCHAR, BOOLEAN, BIGINT, BIGNUM for integers of 256 bits, DECIMAL(38, s), DOUBLE, TIMESTAMP, DATE, JSON, and lists such as VARCHAR[]";

/** What DuckDB says about names, types and the form of a query. */
export const nameWords: readonly Translation[] = [
  // Names.
  [
    /^Referenced column "(.*)" not found/,
    (name) => `there is no column "${name}"`,
    (_, ...others) => near(...others),
  ],
  [
    /^Referenced table "(.*)" not found/,
    (name) => `the query does not read "${name}"`,
    (_, ...others) => near(...others) ?? "add it to FROM, or use the name that FROM gives the table",
  ],
  [
    /^(?:Values list|Table) "(.*)" does not have a column named "(.*)"/,
    (table, name) => `"${table}" has no column "${name}"`,
    (_, _name, ...others) => near(...others),
  ],
  [
    /^Column "(.*)" in (\w+) list not found/i,
    (name, list) => `there is no column "${name}" for ${list}`,
    "name a column of what the query reads",
  ],
  [
    /^Column "(.*)" does not exist on (left|right) side of join/i,
    (name, side) => `the ${side} side of the join has no column "${name}"`,
    "name a column of both sides, or write ON instead of USING",
  ],
  [
    /^Ambiguous reference to (?:column name|table) "(.*)" \(use: (.*)\)/,
    (name) => `several tables have "${name}"`,
    (_, names) => `write ${names.replaceAll('"', "")}`,
  ],
  [
    /^Column "(.*)" referenced that exists in the SELECT clause/i,
    (name) => `"${name}" cannot be used before it is computed`,
    "compute it in a query of WITH, or repeat the expression; write lambda x: … for functions of list elements",
  ],
  [
    /^(?:\w+ )?Function with name "?(\S+?)"? does not exist/i,
    (name) => `there is no function ${name}`,
    unknownFunction,
  ],
  [
    /^Function "(.*)" is a table function/,
    (name) => `${name}() cannot be used in an expression`,
    "use a function that gives one value, or read the source with FROM",
  ],
  [/^Type with name "?(\S+?)"? does not exist/i, (name) => `there is no type ${name}`, typeHint],
  [
    /^Table with name "?(\S+?)"? does not exist/i,
    (name) => `there is no source or transform "${name}"`,
    (_, ...others) => near(...others),
  ],
  [
    /^Could not find key "(.*)" in struct/i,
    (name) => `the value has no field "${name}"`,
    (_, ...others) => near(...others),
  ],
  [
    /^Cannot extract field '(.*)' from expression "(.*)" because/,
    (field, value) => `${shortened(value)} has no fields, so there is no "${field}"`,
    "for JSON in a text, write value->>'field'",
  ],
  [
    /^key name for struct_extract needs to be a constant/,
    "the name of a field must be a text",
    "write value['field'], or look the value up in a MAP",
  ],
  [
    /^Unexpected prepared parameter/,
    "a query has no parameters",
    "write the value, or a variable of the definition",
  ],
  // Types.
  [/^No function matches the given name and argument types '(\S+?)\((.*)\)'/, misfit, misfitHint],
  [/^Could not choose a best candidate function for the function call "(\S+?)\((.*)\)"/, misfit, misfitHint],
  [
    /^Cannot compare values of type (.*) and (?:type )?(.*?) - an explicit cast/i,
    (one, other) => `${typeName(one)} cannot be compared with ${typeName(other)}`,
    "cast one of the two, as in CAST(value AS VARCHAR)",
  ],
  [
    /^Cannot mix values of type (.*) and (.*) in (\S+).* - an explicit cast/i,
    (one, other, what) => `${what} has values of ${typeName(one)} and of ${typeName(other)}`,
    "cast one of the two, so that all values have one type",
  ],
  [
    /^Cannot deduce template type '\w+' in function: '(\w+)\(/i,
    (name) =>
      name === "list_value"
        ? "the elements of a list have different types"
        : `the arguments of ${name}() have types that do not fit together`,
    "cast them, so that all have one type",
  ],
  [
    /^Unimplemented type for cast \((.*) -> (.*)\)/,
    (from, to) => `no value of ${typeName(from)} can become one of ${typeName(to)}`,
    conversionHint,
  ],
  [/^DECIMAL type width must be/i, "a decimal has between 1 and 38 digits", wideHint],
  [
    /^DECIMAL type scale cannot be greater/i,
    "a decimal has more digits after the point than in all",
    "write the number of all digits first, as in DECIMAL(38, 18)",
  ],
  [
    /^UNNEST\(\) can only be applied to lists.*, not (.*)$/,
    (type) => `unnest() takes a list, not ${typeName(type)}`,
    "make a list of a text with string_split(text, ',')",
  ],
  [
    /^UNNEST requires a single list/,
    "unnest() takes one list",
    "make a list of a text with string_split(text, ',')",
  ],
  [
    /^Set operations can only apply to expressions with the same number/i,
    "the queries of a UNION have different numbers of columns",
    "name the same columns in each query, in one order",
  ],
  [
    /^Subquery returns (\d+) columns - expected (\d+)/i,
    (found, wanted) => `the subquery gives ${found} columns, and not ${wanted}`,
    "name one column in it",
  ],
  [
    /^More than one row returned by a subquery/i,
    "a subquery that stands for a value gives more than one row",
    "add a condition, an aggregate or LIMIT 1 to it, or write IN",
  ],
  [
    /^enum value: unrecognized value "(.*)" for enum/i,
    (value) => `"${value}" is not a value that is allowed here`,
    "see the function's description in DuckDB's documentation",
  ],
  // Aggregates.
  [
    /^column "?(.*?)"? must appear in the GROUP BY clause/i,
    (name) => `"${name}" is neither in GROUP BY nor in an aggregate`,
    (name) => `add it to GROUP BY, or write any_value(${name})`,
  ],
  [
    /^aggregate function calls cannot be nested/i,
    "an aggregate cannot have an aggregate inside",
    "compute the inner one in a query of WITH",
  ],
  [
    /^(.*) clause cannot contain window functions/i,
    (clause) => `${clause} cannot have a window function`,
    "write QUALIFY for a condition on it",
  ],
  [
    /^(.*) clause cannot contain aggregates/i,
    (clause) => `${clause} cannot have an aggregate`,
    "write HAVING for a condition on it",
  ],
  [
    /^ORDER term out of range - should be between 1 and (\d+)/i,
    "ORDER BY counts a column that is not there",
    (most) => `write a number up to ${most}, or the name of a column`,
  ],
  [/^LIMIT\/OFFSET cannot be negative/i, "LIMIT and OFFSET cannot be negative", "write 0 or more"],
];

function conversionHint(from: string, to: string): string {
  if (to === "BIGNUM") return `${bignum}: write a whole number, or cast the integer to DOUBLE first`;
  if (from === "BIGNUM") return `${bignum}: cast it to BIGINT first`;
  if (/^TIMESTAMP|^DATE/.test(to)) return "write to_timestamp(seconds) for a time from a number";
  if (/^TIMESTAMP|^DATE/.test(from)) return "write epoch(time) for the seconds since 1970";
  return "cast it to VARCHAR first, or use another type";
}
