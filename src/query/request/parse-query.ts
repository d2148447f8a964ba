import { type DocumentNode, GraphQLError, Lexer, parse, Source, TokenKind } from "graphql";
import type { QueryLimits } from "../limits.js";
import { type Position, QueryError } from "../query-error.js";

/**
 * Parses a query. Counts its tokens first, so that no query can exhaust the parser.
 * @throws QueryError with the place of the error
 */
export function parseQuery(text: string, limits: QueryLimits): DocumentNode {
  try {
    scan(text, limits);
    return parse(text);
  } catch (error) {
    if (error instanceof GraphQLError) throw syntaxError(error, text);
    throw error;
  }
}

const opening: ReadonlySet<TokenKind> = new Set([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L]);
const closing: ReadonlySet<TokenKind> = new Set([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R]);

function scan(text: string, { nesting, tokens }: QueryLimits): void {
  const lexer = new Lexer(new Source(text));
  let open = 0;
  for (let count = 0; ; count++) {
    const { kind, value, line, column } = lexer.advance();
    if (kind === TokenKind.EOF) return;
    if (opening.has(kind)) open++;
    else if (closing.has(kind)) open--;
    const position = { line, column };
    if (open > nesting) throw new QueryError("Recursion limit exceeded", { position });
    if (count >= tokens) {
      const message = `the query has more than ${tokens} tokens; split it into several queries`;
      throw new QueryError(message, { position, attestable: false });
    }
    if (kind === TokenKind.INT && !isInt64(value)) {
      throw new QueryError(`Unexpected \`${value}[IntValue]\`\nnumber too large to fit in target type`, {
        position,
      });
    }
  }
}

function isInt64(text: string): boolean {
  if (text.length > 20) return false;
  const value = BigInt(text);
  return BigInt.asIntN(64, value) === value;
}

const definitions = "Expected {, query, mutation, subscription or fragment";

/** In the form of graph-node's parser: the unexpected token, then the expected ones. */
function syntaxError({ message, locations, positions }: GraphQLError, text: string): QueryError {
  const said = message.replace(/^Syntax Error: /, "").replace(/\.$/, "");
  const [, right, found] = /^Expected (.+), found (.+)$/s.exec(said) ?? [];
  const met = found ?? /^Unexpected (.+)$/s.exec(said)?.[1];
  const lines = [met === undefined ? `Unexpected ${said}` : unexpected(met)];
  const isFirst = text.slice(0, positions?.[0] ?? 0).trim() === "";
  if (right !== undefined) lines.push(`Expected ${right.replaceAll('"', "")}`);
  else if (isFirst && met?.startsWith("character")) lines.push("Unexpected end of input", definitions);
  else if (isFirst) lines.push(definitions);
  const position: Position = locations?.[0] ?? { line: 1, column: 1 };
  return new QueryError(lines.join("\n"), { position });
}

function unexpected(found: string): string {
  if (found === "<EOF>") return "Unexpected end of input";
  const character = /^character: "(.*)"$/s.exec(found) ?? /^character: (.*)$/s.exec(found);
  if (character) return `Unexpected unexpected character '${character[1]}'`;
  const name = /^Name "(.*)"$/.exec(found);
  if (name) return `Unexpected \`${name[1]}[Name]\``;
  const sign = /^"(.*)"$/.exec(found);
  return sign ? `Unexpected \`${sign[1]}[Punctuator]\`` : `Unexpected ${found}`;
}
