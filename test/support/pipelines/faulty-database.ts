import type { Database, Sql } from "../../../src/store/database/database.js";
import type { Cut } from "./expect-law.js";

/** A database whose connection breaks sometimes: before a statement, within a copy, before a commit, or after it. @param onCopied called after each copy */
export function faultyDatabase(
  database: Database,
  cut: Cut,
  onCopied: () => void = () => undefined,
): Database {
  const query: Sql["query"] = (...given) => {
    cut();
    return database.query(...given);
  };
  const transaction = async <Result>(work: (sql: Sql) => Promise<Result>): Promise<Result> => {
    const result = await database.transaction(async (sql) => {
      const done = await work({
        query: async (...given) => {
          cut();
          return sql.query(...given);
        },
        run: (script) => sql.run(script),
        ...(sql.copy && {
          copy: async (statement, content) => {
            await sql.copy?.(statement, cutWithin(content, cut));
            onCopied();
          },
        }),
      });
      cut();
      return done;
    });
    cut();
    return result;
  };
  return {
    provider: database.provider,
    query,
    run: (script) => database.run(script),
    listen: (...given) => database.listen(...given),
    transaction,
    close: async () => undefined,
  };
}

async function* cutWithin(
  content: AsyncIterable<Uint8Array>,
  cut: Cut,
): AsyncGenerator<Uint8Array, void, void> {
  for await (const piece of content) {
    cut();
    yield piece;
  }
  cut();
}
