import type { Span } from "../../compiler/source/source.js";
import { outsideQuotes } from "../../pipelines/sql/sql-tokens.js";

interface Token extends Span {
  /** A name as it counts: without quotes, in lower case. */
  readonly name?: string | undefined;
  readonly text: string;
  readonly isQuoted: boolean;
}

/** Keywords after which no more tables follow. */
const closing = new Set(
  "select where group order having limit offset union except intersect window qualify values on using set".split(
    " ",
  ),
);

/** A level of parentheses. */
interface Level {
  /** Whether a list of tables continues. */
  inTables: boolean;
  readonly isQuery: boolean;
}

/** A place in a query that names a table: the name in small letters, and where it is without quotes. */
export interface TableReference extends Span {
  readonly name: string;
}

/**
 * Where a query names tables: behind FROM and JOIN, before a column's dot, and in `dynamic_table_check`. Columns of the same
 * name are none. Of a name that WITH or AS gives to something else, the uncertain places are left out.
 */
export function tableReferences(sql: string): readonly TableReference[] {
  const tokens = [...tokensOf(sql)];
  const tables = new Set(tablesIn(tokens));
  const [aliases, locals] = [new Set<string>(), new Set<string>()];
  for (const [index, { name }] of tokens.entries()) {
    if (name === undefined) continue;
    const [last, next] = [tokens[index - 1], tokens[index + 1]];
    const before = last?.name === "as" ? tokens[index - 2] : last;
    const isBehind =
      before !== undefined && (tables.has(before) || (last?.name === "as" && before.text === ")"));
    if (isBehind && name !== "as") aliases.add(name);
    if (next?.name === "as" && tokens[index + 2]?.text === "(") locals.add(name);
  }
  const named = new Set([...tables].map(({ name = "" }) => name));
  return tokens.flatMap((token, index) => {
    const { name, text, start, end } = token;
    const [last, next] = [tokens[index - 1], tokens[index + 1]];
    if (text.startsWith("'")) {
      const isChecked = last?.text === "(" && check.test(tokens[index - 2]?.name ?? "");
      return isChecked ? { name: text.slice(1, -1).toLowerCase(), start: start + 1, end: end - 1 } : [];
    }
    if (name === undefined || locals.has(name)) return [];
    const isQualifier = next?.text === "." && last?.text !== "." && named.has(name) && !aliases.has(name);
    if (!tables.has(token) && !isQualifier) return [];
    return token.isQuoted ? { name, start: start + 1, end: end - 1 } : { name, start, end };
  });
}

/** The function that looks up in a dynamic table, also under the name that other services have for it. */
const check = /^(?:_[a-z]{2}_)?dynamic_table_check$/;

function* tokensOf(sql: string): Generator<Token> {
  for (const { 0: text, index } of sql.matchAll(outsideQuotes(/[a-z_][\w$]*|[.,();]/))) {
    if (text.startsWith("--") || text.startsWith("/*")) continue;
    const isQuoted = /^["`]/.test(text);
    const isWord = /^[a-z_]/i.test(text);
    const name = isQuoted ? text.slice(1, -1) : isWord ? text : undefined;
    yield { start: index, end: index + text.length, text, isQuoted, name: name?.toLowerCase() };
  }
}

/** The tokens that name tables. */
function* tablesIn(tokens: readonly Token[]): Generator<Token> {
  const levels: Level[] = [{ inTables: false, isQuery: true }];
  let expects = false;
  for (const [index, token] of tokens.entries()) {
    const level = levels.at(-1);
    if (!level) return;
    const word = token.isQuoted ? undefined : token.name;
    if (token.text === "(") {
      const inside = tokens[index + 1]?.name ?? "";
      levels.push({
        inTables: false,
        isQuery: inside === "select" || inside === "from" || inside === "with",
      });
      expects = false;
    } else if (token.text === ")") {
      levels.pop();
      expects = false;
    } else if (token.text === ",") expects = level.inTables;
    else if (
      level.isQuery &&
      (word === "join" || (word === "from" && tokens[index - 1]?.name !== "distinct"))
    ) {
      level.inTables = true;
      expects = true;
    } else if (word !== undefined && closing.has(word)) {
      if (word !== "on" && word !== "using") level.inTables = false;
      expects = false;
    } else if (expects && token.name !== undefined && word !== "lateral") {
      expects = false;
      // A function, or a name of several parts, does not name a node.
      if (tokens[index + 1]?.text !== "(" && tokens[index + 1]?.text !== ".") yield token;
    }
  }
}
