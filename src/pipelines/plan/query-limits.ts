import type { QueryExtent } from "../sql/query-extent.js";

const listWay = "write column IN ('a', 'b', …), or look the values up in a dynamic_table";
/** The most that the engine may have to bind for one query. */
export const mostOfQuery = { relations: 1_000, columns: 2_000, parts: 250_000, operands: 5_000 } as const;
/** The most that it may have to bind for all queries of a definition. Sums of columns add nothing to this. */
const mostOfAll = { relations: 10_000, parts: 2_500_000 } as const;

/** Words that take the parser a disproportionate time: the most in a query, at any place. */
const mostWords = [
  { words: /\b(?:and|or)\b/gi, most: 10_000, what: "conditions joined with AND or OR", hint: listWay },
  {
    words: /\b(?:union|intersect|except)\b/gi,
    most: mostOfQuery.relations,
    what: "queries joined with UNION",
    hint: "unite fewer queries, or filter one query with IN",
  },
] as const;

/** Why a query is too large, and what to do. */
export interface ExtentFault {
  readonly message: string;
  readonly hint: string;
}

/** The excess in a query's text, before it is parsed; `undefined` if it can be parsed. */
export function faultOfText(sql: string): ExtentFault | undefined {
  for (const { words, most, what, hint } of mostWords) {
    const count = sql.match(words)?.length ?? 0;
    if (count > most)
      return {
        message: `the query has ${number(count)} ${what}, and may have ${number(most)}`,
        hint,
      };
  }
  return undefined;
}

/** Limits how much a definition makes the engine bind. */
export class ExtentLimits {
  #relations = 0;
  #parts = 0;

  /** Counts a query. @returns what exceeds a limit; `undefined` if it fits */
  take({ relations, columns, parts, operands }: QueryExtent): ExtentFault | undefined {
    if (operands > mostOfQuery.operands)
      return {
        message: `the query joins ${number(operands)} conditions with AND or OR, and may join ${number(mostOfQuery.operands)}`,
        hint: listWay,
      };
    if (relations > mostOfQuery.relations)
      return {
        message: `the query reads ${number(relations)} tables once the transforms and WITH queries that it names are written out, and may read ${number(mostOfQuery.relations)}`,
        hint: "read each transform once: what is read twice doubles with every step",
      };
    if (columns > mostOfQuery.columns)
      return {
        message: `the query has ${number(columns)} columns, and may have ${number(mostOfQuery.columns)}`,
        hint: "name the columns that you need instead of *",
      };
    if (parts > mostOfQuery.parts)
      return {
        message: `the query has ${number(parts)} names, values and operators once all that it refers to is written out, and may have ${number(mostOfQuery.parts)}`,
        hint: "use each alias and each transform fewer times, or look values up in a dynamic_table",
      };
    this.#relations += relations;
    this.#parts += parts;
    if (this.#relations <= mostOfAll.relations && this.#parts <= mostOfAll.parts) return undefined;
    return {
      message: `the transforms up to this one read ${number(this.#relations)} tables and have ${number(this.#parts)} names, values and operators once all that they refer to is written out; a definition may have ${number(mostOfAll.relations)} and ${number(mostOfAll.parts)}`,
      hint: "shorten the chains of transforms, or divide the definition into several pipelines",
    };
  }
}

/** `33,554,432`, or words for a number that is too long to print. */
function number(count: number): string {
  return count < 1e15 ? count.toLocaleString("en") : "more than a million billion";
}
