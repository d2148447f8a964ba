import { cell } from "../../store/database/columns.js";
import { type Database, DatabaseError, SQL } from "../../store/database/database.js";
import { quoteName } from "../../store/database/quote.js";
import { arrayText } from "../../store/database/sql-array.js";
import { Problem } from "../problem.js";
import type { HostedCluster } from "./hosted-cluster.js";
import { majorVersion } from "./hosted-database.js";

/** A setting of a cluster that gives tenants too many rights. */
export interface ClusterFault {
  /** What a tenant can do, as a sentence. */
  readonly sentence: string;
  /** The statements for the operator to run. */
  readonly statements: readonly string[];
}

/**
 * Settings of a cluster that give tenants too many rights, with the statements that correct them.
 * @throws DatabaseError
 */
export async function findClusterFaults({ database }: HostedCluster): Promise<readonly ClusterFault[]> {
  const open = await openDatabases(database);
  const [found] = await database.query(
    SQL`select current_user as login, current_setting('max_prepared_transactions') as prepared`,
  );
  if (!found) throw new DatabaseError("the server does not know its own role");
  const login = quoteName(cell(found, "login"));
  const faults: ClusterFault[] = [];
  if (open.length > 0) {
    faults.push({
      sentence: "Tenants can connect to databases that are not theirs, and fill them with temporary tables.",
      statements: closing(open, login),
    });
  }
  if (!(await mayLimitFiles(database))) {
    faults.push({
      sentence: "The server cannot limit the disk space of tenants for sorts and held cursors.",
      statements: [
        (await majorVersion(database)) >= 15
          ? `grant set on parameter temp_file_limit to ${login};`
          : "alter system set temp_file_limit = '1GB';",
      ],
    });
  }
  if (found.prepared !== "0") {
    faults.push({
      sentence:
        "Tenants can prepare transactions, which hold locks and dead rows until they are ended by hand.",
      statements: ["alter system set max_prepared_transactions = 0; -- then restart PostgreSQL"],
    });
  }
  return faults;
}

/**
 * Checks that the login may create databases, and that tenants could not connect to its own database or to that of the
 * server.
 * @throws Problem `unprocessable` with the statements that the operator runs; DatabaseError
 */
export async function requireRights({ database, isShared }: HostedCluster, own: Database): Promise<void> {
  const [found] = await database.query(
    SQL`select rolsuper or (rolcreaterole and rolcreatedb) as may_create, current_user as login,
        current_database() as name
      from pg_roles where rolname = current_user`,
  );
  if (!found) throw new DatabaseError("the server does not know its own role");
  const login = quoteName(cell(found, "login"));
  const [server] = isShared ? await own.query(SQL`select current_database() as name`) : [];
  const open = await openDatabases(
    database,
    [found, ...(server ? [server] : [])].map((row) => cell(row, "name")),
  );
  const statements = [
    ...(found.may_create === "t" ? [] : [`alter role ${login} createrole createdb;`]),
    ...closing(open, login),
  ];
  if (statements.length === 0) return;
  throw new Problem(
    "unprocessable",
    `The PostgreSQL for hosted sinks is not prepared. Its operator runs there: ${statements.join(" ")}`,
  );
}

/** Whether the login may set `temp_file_limit` for roles. @throws DatabaseError */
export async function mayLimitFiles(database: Database): Promise<boolean> {
  const [found] = await database.query(SQL`select rolsuper from pg_roles where rolname = current_user`);
  if (found?.rolsuper === "t") return true;
  if ((await majorVersion(database)) < 15) return false;
  const [granted] = await database.query(
    SQL`select has_parameter_privilege('temp_file_limit', 'SET') as may`,
  );
  return granted?.may === "t";
}

/** The databases to which every role may connect. @param among all by default */
async function openDatabases(database: Database, among?: readonly string[]): Promise<readonly string[]> {
  const rows = await database.query(
    SQL`select datname as name from pg_database
      where datallowconn and ($1::text[] is null or datname = any($1::text[]))
        and has_database_privilege('public', oid, 'connect, temporary')
      order by datname`,
    [among === undefined ? null : arrayText([...among])],
  );
  return rows.map((row) => cell(row, "name"));
}

function closing(databases: readonly string[], login: string): readonly string[] {
  const names = databases.map(quoteName).join(", ");
  if (names === "") return [];
  return [
    `revoke connect, temporary on database ${names} from public;`,
    `grant connect on database ${names} to ${login};`,
  ];
}
