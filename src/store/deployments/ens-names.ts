import { type EnsNames, isEnsHash } from "../../runtime/ens/ens-names.js";
import type { EnsName } from "../../runtime/ens/read-ens-names.js";
import { type Database, SQL, type Sql } from "../database/database.js";
import { arrayText } from "../database/sql-array.js";

/** The imported ENS names. @throws DatabaseError on lookup */
export function importedEnsNames(sql: Pick<Sql, "query">): EnsNames {
  return {
    async lookUp(hash) {
      if (isEnsHash(hash)) {
        const [found] = await sql.query(
          SQL`select name from graphloom.ens_names where hash = decode($1::text, 'hex')`,
          [hash.slice("0x".length)],
        );
        if (found) return found.name;
      }
      const [any] = await sql.query(SQL`select 1 as one from graphloom.ens_names limit 1`);
      return any ? null : undefined;
    },
  };
}

/** Names per write. */
const batch = 1_000;

/**
 * Adds names to the imported ones. Of several names with one hash, the last counts. If reading the names fails, those
 * read before stay imported.
 * @returns how many were read
 * @throws DatabaseError, EnsNamesError
 */
export async function importEnsNames(
  database: Pick<Database, "query">,
  names: AsyncIterable<EnsName>,
): Promise<number> {
  let count = 0;
  let waiting = new Map<string, string>();
  const write = async (): Promise<void> => {
    if (waiting.size === 0) return;
    await database.query(
      SQL`insert into graphloom.ens_names (hash, name)
       select decode(hash, 'hex'), name from unnest($1::text[], $2::text[]) as given (hash, name)
       on conflict (hash) do update set name = excluded.name`,
      [arrayText([...waiting.keys()]), arrayText([...waiting.values()])],
    );
    waiting = new Map();
  };
  for await (const { hash, name } of names) {
    count += 1;
    waiting.set(hash.slice("0x".length), name);
    if (waiting.size === batch) await write();
  }
  await write();
  return count;
}
