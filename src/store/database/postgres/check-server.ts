import { visible } from "../../../base/text/visible.js";
import { DatabaseError, SQL, type Sql } from "../database.js";

/** The first version with the index types of graph-node's tables. */
const oldestVersion = 14;

/** @throws DatabaseError if the server is too old, or the database has the wrong encoding or collation */
export async function checkServer(sql: Sql): Promise<void> {
  // Each version reports the collation in different columns, but its effect is the same in all.
  const [found] = await sql.query(
    SQL`select current_database() as name, current_setting('server_version_num')::integer / 10000 as version,
      current_setting('server_encoding') as encoding, 'B' < 'a' and 'a_b' < 'aa' and 'a b' < 'a_b' as bytewise`,
  );
  if (!found) throw new DatabaseError("the server did not report the version and encoding of its database");
  const { name, version, encoding, bytewise } = found;
  if (Number(version) < oldestVersion) {
    throw new DatabaseError(
      `the server runs PostgreSQL ${version}, but ${oldestVersion} or later is required`,
      { hint: "Use a newer server." },
    );
  }
  if (encoding === "UTF8" && bytewise === "t") return;
  const order = bytewise === "t" ? "by its bytes" : "by the rules of a language";
  throw new DatabaseError(
    `the database ${visible(name ?? "")} has the encoding ${encoding} and sorts text ${order}, but must have the encoding UTF8 and the collation C`,
    {
      hint: "Create a new one: create database <name> template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C'",
    },
  );
}
