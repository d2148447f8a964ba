import { visible } from "../../../base/visible.js";
import { DatabaseError, type Sql } from "../database.js";

/** The first that has the kinds of indexes that graph-node's tables have. */
const oldestVersion = 14;
/** Those that order texts by their bytes, as graph-node's answers are ordered. */
const bytewise = /^(?:C|POSIX|C\.UTF-?8)$/i;

/** @throws DatabaseError for a server that is too old, and a database of another encoding or order of texts */
export async function checkServer(sql: Sql): Promise<void> {
  const [found] = await sql.query(
    `select current_database() as name, current_setting('server_version_num')::integer / 10000 as version,
      pg_encoding_to_char(encoding) as encoding, datcollate as collation
      from pg_database where datname = current_database()`,
  );
  if (!found) throw new DatabaseError("the server does not tell of which kind its database is");
  const { name, version, encoding, collation } = found;
  if (Number(version) < oldestVersion) {
    throw new DatabaseError(
      `the server is PostgreSQL ${version}, and ${oldestVersion} is the oldest that will do`,
      {
        hint: "Use a newer server.",
      },
    );
  }
  if (encoding === "UTF8" && bytewise.test(collation ?? "")) return;
  const shown = visible(name ?? "");
  throw new DatabaseError(
    `the database ${shown} has the encoding ${encoding} and the collation ${visible(collation ?? "")}, and needs UTF8 and C`,
    {
      hint: "Make another one: create database <name> template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C'",
    },
  );
}
