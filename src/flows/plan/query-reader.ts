import type { Report } from "../../compiler/diagnostics/report.js";
import type { LocatedString, Location } from "../../compiler/source/source.js";
import type { FlowColumn } from "../changes/schema.js";
import { standardQuotes } from "../sql/backticks.js";
import { checkQuery } from "../sql/check-query.js";
import { type KnownFunctions, QueryError, type SqlEngine } from "../sql/engine.js";
import { functionNamed } from "../sql/functions.js";

/** A query that was read. */
export interface ReadQuery {
  readonly text: LocatedString;
  /** In the engine's own form; places in it are those in the text. */
  readonly sql: string;
  /** The tables that it reads, with their places. */
  readonly reads: readonly { readonly name: string; readonly at: Location }[];
}

/** A column in which a query expects the operation: services put a prefix of their own before it. */
const operationColumn = /\b_[a-z]{2}_op\b/g;

/** Reads the queries of a definition, and reports what is wrong with them. */
export class QueryReader {
  readonly #engine: SqlEngine;
  readonly #functions: KnownFunctions;
  readonly #report: Report;
  readonly #defined = new Set<string>();
  readonly #operations = new Set<string>();

  constructor(engine: SqlEngine, functions: KnownFunctions, report: Report) {
    this.#engine = engine;
    this.#functions = functions;
    this.#report = report;
  }

  /** Columns in which the queries read so far expect the operation. */
  get operations(): readonly string[] {
    return [...this.#operations].sort();
  }

  /** Functions besides the engine's own that the queries read so far call, by the names that they use. */
  get functions(): readonly string[] {
    return [...this.#defined].sort();
  }

  /** Reads a query; `undefined` after a reported error. */
  async read(text: LocatedString): Promise<ReadQuery | undefined> {
    const sql = standardQuotes(text.value);
    const reads = await this.#reads(sql, (offset) =>
      offset === undefined ? text.at : placeOf(text, offset),
    );
    return reads && { text, sql, reads };
  }

  /** Reads the condition of a source; whether it can be used. */
  async readCondition(text: LocatedString): Promise<boolean> {
    const before = "select * from source where (\n";
    const place = (offset = -1): Location =>
      offset < before.length || offset > before.length + text.value.length
        ? text.at
        : placeOf(text, offset - before.length);
    const reads = await this.#reads(`${before}${standardQuotes(text.value)}\n)`, place);
    return reads !== undefined;
  }

  /** What a query reads; `undefined` after a reported error. */
  async #reads(
    sql: string,
    placeOfOffset: (offset: number | undefined) => Location,
  ): Promise<ReadQuery["reads"] | undefined> {
    for (const [name] of sql.matchAll(operationColumn)) this.#operations.add(name);
    const parsed = await this.#engine.parse(sql);
    if (parsed.kind === "fault") {
      this.#report.error(
        "sql-syntax",
        placeOfOffset(parsed.offset),
        `the query cannot be parsed: ${parsed.message}`,
      );
      return undefined;
    }
    const { reads, calls, faults } = checkQuery(parsed.tree, this.#functions);
    const place = ({ offset }: { readonly offset: number }): Location =>
      placeOfOffset(offset === -1 ? undefined : Buffer.from(sql).subarray(0, offset).toString().length);
    for (const fault of faults)
      this.#report.error(fault.code, place(fault), fault.message, { hint: fault.hint });
    for (const { name } of calls) this.#define(name);
    return faults.length > 0 ? undefined : reads.map((read) => ({ name: read.name, at: place(read) }));
  }

  /** Creates the table of a source. @returns whether its condition fits */
  async createTable(
    name: string,
    columns: readonly FlowColumn[],
    condition: LocatedString | undefined,
  ): Promise<boolean> {
    const extras = {
      condition: condition && standardQuotes(condition.value),
      operations: this.operations,
    };
    const created = await this.#tried(condition, async () => {
      await this.#engine.createTable(name, columns, extras);
      return true;
    });
    return created ?? false;
  }

  /** Creates the view of a query; `undefined` after a reported error. */
  async createView(name: string, { text, sql }: ReadQuery): Promise<readonly FlowColumn[] | undefined> {
    return this.#tried(text, () => this.#engine.createView(name, sql));
  }

  async #tried<T>(text: LocatedString | undefined, make: () => Promise<T>): Promise<T | undefined> {
    try {
      return await make();
    } catch (error) {
      if (!(error instanceof QueryError) || text === undefined) throw error;
      const at = error.offset === undefined ? text.at : placeOf(text, error.offset);
      const message = error.message.charAt(0).toLowerCase() + error.message.slice(1);
      this.#report.error("sql-error", at, message, {
        ...(error.near !== undefined && { hint: `write ${error.near}` }),
      });
      return undefined;
    }
  }

  #define(name: string): void {
    if (this.#functions.all.has(name) || this.#defined.has(name)) return;
    const found = functionNamed(name);
    if (!found) return;
    this.#defined.add(name);
    this.#engine.define(found);
  }
}

/** The word at a place, so that more than a single character is marked. */
function placeOf(text: LocatedString, offset: number): Location {
  const [word = ""] = /^[\w.]+/.exec(text.value.slice(offset)) ?? [];
  const start = Math.min(offset, text.value.length);
  return text.part(start, Math.min(text.value.length, start + Math.max(1, word.length)));
}
