import { Agent as SecureAgent } from "node:https";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import type { ClickHouseClient } from "@clickhouse/client";
import { tlsClientOptions } from "../../../base/server-tls.js";
import { parseJson } from "../../../base/text/json-value.js";
import { optionalPackage } from "../../../machine/optional-package.js";
import {
  type ClickHouse,
  type ClickHouseAddress,
  ClickHouseError,
  type ClickHouseRow,
} from "../../sinks/clickhouse-server.js";
import { failureIn, noAnswer, reasonOf } from "./clickhouse-failure.js";
import { openQueryConnection, type QueryConnection } from "./query-connection.js";

type Client = typeof import("@clickhouse/client");

/** The default for the most milliseconds without a byte from the server. */
const longestSilence = 300_000;

/**
 * Answers are sent when everything is done, so that a failure has an error status; inserts are written when they are
 * answered.
 */
const settings = { wait_end_of_query: 1, async_insert: 0, select_sequential_consistency: "1" } as const;

/**
 * Opens a ClickHouse server without sending a request.
 * @param silence milliseconds without a byte from the server, after which a statement has failed
 * @throws PackageMissingError
 */
export async function openClickHouse(
  { url, username, password, tls }: ClickHouseAddress,
  silence = longestSilence,
): Promise<ClickHouse> {
  const client = await optionalPackage(
    "ClickHouse",
    "@clickhouse/client",
    () => import("@clickhouse/client"),
  );
  const connection = client.createClient({
    url,
    username,
    password,
    application: "graphloom",
    request_timeout: silence,
    // A busy process is late to close connections that the server has closed meanwhile.
    keep_alive: { eagerly_destroy_stale_sockets: true },
    clickhouse_settings: settings,
    ...(tls && { http_agent: new SecureAgent({ keepAlive: true, ...tlsClientOptions(tls) }) }),
    log: { level: client.ClickHouseLogLevel.OFF },
  });
  return new HttpClickHouse(
    client,
    connection,
    openQueryConnection({ url, username, password, tls }, silence),
  );
}

type Extra = Omit<Parameters<ClickHouseClient["exec"]>[0], "query"> & { readonly values?: Readable };

/**
 * Copies of pieces, which stay unchanged while they wait to be sent.
 * @param onError receives the errors of the pieces
 */
async function* copies(
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  onError: (error: unknown) => void,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    for await (const piece of pieces) yield piece.slice();
  } catch (error) {
    onError(error);
    throw error;
  }
}

class HttpClickHouse implements ClickHouse {
  readonly #client: Client;
  readonly #connection: ClickHouseClient;
  readonly #queries: QueryConnection;

  constructor(client: Client, connection: ClickHouseClient, queries: QueryConnection) {
    this.#client = client;
    this.#connection = connection;
    this.#queries = queries;
  }

  async query(
    sql: string,
    parameters: Readonly<Record<string, string>> = {},
  ): Promise<readonly ClickHouseRow[]> {
    const answer = await this.#queries.send(`${sql} FORMAT JSONEachRow`, parameters, settings);
    return answer
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => {
        const row = parseJson(line);
        if (row === undefined) throw failureIn(answer);
        return row as ClickHouseRow;
      });
  }

  async run(sql: string, parameters: Readonly<Record<string, string>> = {}, id?: string): Promise<void> {
    await this.#sendSilently(sql, { query_params: parameters, ...(id !== undefined && { query_id: id }) });
  }

  async insert(
    sql: string,
    rows: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
    id: string,
    others: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const unread: unknown[] = [];
    const values = Readable.from(
      copies(rows, (error) => unread.push(error)),
      { objectMode: false },
    );
    try {
      await this.#sendSilently(sql, {
        values,
        query_id: id,
        clickhouse_settings: { ...settings, ...others },
      });
    } catch (error) {
      throw unread.length > 0 ? unread[0] : error;
    }
  }

  async close(): Promise<void> {
    this.#queries.close();
    await this.#connection.close();
  }

  /** Sends a statement without a result: a server that has begun to answer reports a failure in the body. */
  async #sendSilently(query: string, extra: Extra): Promise<void> {
    const answer = await this.#send(query, extra);
    if (answer.trim() !== "") throw failureIn(answer);
  }

  async #send(query: string, extra: Extra): Promise<string> {
    try {
      const { stream } = await this.#connection.exec({ query, ...extra } as Parameters<
        ClickHouseClient["exec"]
      >[0]);
      return await text(stream);
    } catch (error) {
      throw this.#errorOf(error);
    }
  }

  #errorOf(error: unknown): unknown {
    if (error instanceof this.#client.ClickHouseError)
      return new ClickHouseError(error.message.trim(), Number(error.code), { cause: error });
    if (!(error instanceof Error)) return error;
    return noAnswer(reasonOf(error), {
      cause: error,
      // The client shows a silent server only by this message.
      isSilent: /^timeout error/i.test(error.message),
    });
  }
}
