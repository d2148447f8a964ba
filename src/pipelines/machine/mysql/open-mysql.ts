import type { Connection, ConnectionOptions, QueryError, ResultSetHeader } from "mysql2";
import { certificateAdvice } from "../../../base/certificate-fault.js";
import { guarded } from "../../../base/turns/guarded.js";
import { optionalPackage } from "../../../machine/optional-package.js";
import { mysqlCertificateFault } from "../../sinks/mysql/mysql-certificate.js";
import { type MysqlAnswer, type MysqlDatabase, MysqlError } from "../../sinks/mysql-database.js";
import { readMysqlAddress } from "./mysql-address.js";

/** Settings that values and statements depend on, set regardless of the server's defaults. */
const settings = `set session sql_mode = 'STRICT_ALL_TABLES,STRICT_TRANS_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION',
  time_zone = '+00:00', autocommit = 1, foreign_key_checks = 1, unique_checks = 1, sql_notes = 1`;

/** Milliseconds. */
const connectTimeout = 10_000;

/** A value was cut. The server only reports this as a note for decimals and trailing spaces. */
const cutNote = "1265";

/** A part of a statement is deprecated. This does not affect values. */
const deprecations: ReadonlySet<string> = new Set(["1287", "1681", "3719", "3778"]);

/**
 * Opens a connection to a MySQL or MariaDB server.
 * @param address `mysql://user:password@host:port/database`
 * @throws PackageMissingError, MysqlError, SinkError for an address that cannot be read
 */
export async function openMysqlDatabase(address: string): Promise<MysqlDatabase> {
  const { options, isEncryptionOptional } = readMysqlAddress(address);
  const { createConnection } = await optionalPackage("A mysql_sink", "mysql2", async () => {
    const { default: mysql } = await import("mysql2");
    return mysql;
  });
  const open = (how: ConnectionOptions): Promise<Connection> =>
    new Promise((resolve, reject) => {
      const connection = createConnection({
        ...how,
        connectTimeout,
        charset: "utf8mb4_bin",
        // All values are transferred as text.
        typeCast: (field) => field.string(),
      });
      // A connection that is lost fails its next statement.
      connection.on("error", () => undefined);
      const connected = (error: QueryError | null): void => {
        if (error) connection.destroy();
        if (error) reject(errorOf(error));
        else resolve(connection);
      };
      connection.connect(guarded(connected, reject));
    });
  const connection = await open(options).catch((error: unknown) => {
    if (options.ssl === undefined && options.socketPath === undefined) throw withTlsHint(error);
    if (!isEncryptionOptional || !hasNoEncryption(error)) throw error;
    const { ssl: _, ...plain } = options;
    return open(plain);
  });
  const database = new ConnectedMysql(connection);
  try {
    await database.run(settings);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

function hasNoEncryption(error: unknown): boolean {
  const cause = error instanceof MysqlError ? (error.cause as Partial<QueryError>) : undefined;
  return cause?.code === "HANDSHAKE_NO_SSL_SUPPORT";
}

/** Servers that demand TLS say so, or only that they deny access. */
function withTlsHint(error: unknown): unknown {
  if (!(error instanceof MysqlError)) return error;
  const { message, state, number, cause } = error;
  if (number !== 1045 && number !== 3159) return error;
  const hint =
    'The connection is not encrypted. If the server demands that, write ssl-mode=required in the address, or "sslmode": "require" in the secret.';
  return new MysqlError(`${message.replace(/\.$/, "")}. ${hint}`, { state, number, cause });
}

class ConnectedMysql implements MysqlDatabase {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async run(statement: string): Promise<MysqlAnswer> {
    const answer = await this.#send(statement);
    if (answer.warnings > 0) await this.#refuseWarnings();
    return answer;
  }

  async transaction<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.#send("start transaction");
    let result: Result;
    try {
      result = await work();
    } catch (error) {
      // A connection that is lost has rolled back.
      await this.#send("rollback").catch(() => undefined);
      throw error;
    }
    await this.#send("commit");
    return result;
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      // Closing also counts if the server does not answer.
      this.#connection.end(() => {
        this.#connection.destroy();
        resolve();
      });
    });
  }

  #send(statement: string): Promise<MysqlAnswer & { readonly warnings: number }> {
    return new Promise((resolve, reject) => {
      const answered = (error: QueryError | null, answer: unknown): void => {
        if (error) reject(errorOf(error));
        else if (Array.isArray(answer)) resolve({ rows: answer, changed: 0, warnings: 0 });
        else {
          const { affectedRows, warningStatus } = answer as ResultSetHeader;
          resolve({ rows: [], changed: affectedRows, warnings: warningStatus });
        }
      };
      this.#connection.query(statement, guarded(answered, reject));
    });
  }

  /** @throws MysqlError for a warning about a value */
  async #refuseWarnings(): Promise<void> {
    const { rows } = await this.#send("show warnings");
    const warning = rows.find(
      ({ Level, Code }) => (Level !== "Note" || Code === cutNote) && !deprecations.has(Code ?? ""),
    );
    if (warning === undefined) return;
    throw new MysqlError(warning.Message ?? "", { state: "22000", number: Number(warning.Code) });
  }
}

const trustWords = {
  authorities: "ssl-ca of the address, or sslrootcert of the secret",
  unchecked: 'ssl-mode=required in the address, or "sslmode": "require" in the secret,',
};

/** Why the connection could not be encrypted as required, and what to do. */
function tlsFailure(error: QueryError): string | undefined {
  const fault = mysqlCertificateFault(error);
  if (fault)
    return `The database cannot be reached: its certificate ${fault.words}. ${certificateAdvice(fault, trustWords)}`;
  return error.code === "HANDSHAKE_NO_SSL_SUPPORT"
    ? 'The database cannot be reached: the server does not encrypt connections. Give it a certificate. With ssl-mode=disabled in the address, or "sslmode": "disable" in the secret, everything is sent readable, the password too.'
    : undefined;
}

function errorOf(error: QueryError): MysqlError {
  const { message, sqlState, errno, code } = error;
  const told = tlsFailure(error);
  if (told !== undefined) return new MysqlError(told, { state: undefined, number: errno, cause: error });
  // The client's own errors may have a state that no server sent.
  const isAnswer =
    /^[0-9A-Z]{5}$/.test(sqlState ?? "") && !/^(?:E[A-Z]+|PROTOCOL_\w+|HANDSHAKE_\w+)$/.test(code ?? "");
  return new MysqlError(message || code || "The connection to the database was lost", {
    state: isAnswer ? sqlState : undefined,
    number: errno,
    cause: error,
  });
}
