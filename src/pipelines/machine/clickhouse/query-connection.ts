import { type IncomingMessage, Agent as PlainAgent, request as plainRequest } from "node:http";
import { Agent as SecureAgent, request as secureRequest } from "node:https";
import { tlsClientOptions } from "../../../base/server-tls.js";
import { guarded } from "../../../base/turns/guarded.js";
import { type ClickHouseAddress, ClickHouseError } from "../../sinks/clickhouse-server.js";
import { failureIn, noAnswer, reasonOf } from "./clickhouse-failure.js";

export interface QueryConnection {
  /** The text of an answer. @throws ClickHouseError */
  send(
    statement: string,
    parameters: Readonly<Record<string, string>>,
    settings: Readonly<Record<string, string | number>>,
  ): Promise<string>;
  close(): void;
}

/** Connections that are open at once, at most. */
const mostConnections = 32;
const megabyte = 1_048_576;
/** The most bytes of an answer. None of our queries needs as many. */
const longestAnswer = 256 * megabyte;

/** A connection that the server has closed before it got the query. */
class StaleConnection extends Error {}

/**
 * Opens connections that only read. ClickHouse's client waits at least a millisecond before it sends anything, to
 * notice connections that the server has closed. Queries are safe to repeat, so they are sent again on a new
 * connection.
 * @param silence milliseconds without a byte from the server, after which a query has failed
 * @param mostBytes the most bytes of an answer
 */
export function openQueryConnection(
  { url, username, password, tls }: Pick<ClickHouseAddress, "url" | "username" | "password" | "tls">,
  silence: number,
  mostBytes = longestAnswer,
): QueryConnection {
  const place = new URL(url);
  // Node.js does not want the brackets of an IPv6 address.
  const hostname = place.hostname.replace(/^\[|\]$/g, "");
  const [request, Agent] =
    place.protocol === "https:" ? [secureRequest, SecureAgent] : [plainRequest, PlainAgent];
  const checked = tls ? tlsClientOptions(tls) : {};
  const agent = new Agent({ ...checked, keepAlive: true, maxSockets: mostConnections });
  const fresh = new Agent({ ...checked, maxSockets: mostConnections });
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;

  function once(path: string, statement: string, own: typeof agent): Promise<string> {
    return new Promise((resolve, reject) => {
      let silent: ClickHouseError | undefined;
      const sent = request(
        {
          agent: own,
          method: "POST",
          path,
          timeout: silence,
          protocol: place.protocol,
          hostname,
          port: place.port,
          headers: {
            authorization,
            "user-agent": "graphloom",
            "content-length": Buffer.byteLength(statement),
          },
        },
        guarded(
          async (response: IncomingMessage) => resolve(await answerIn(response, mostBytes)),
          (error) => reject(silent ?? error),
        ),
      );
      const endSilence = (): void => {
        silent = noAnswer(`there was nothing within ${silence / 1000} s`, { isSilent: true });
        sent.destroy(silent);
      };
      sent.on("timeout", guarded(endSilence, reject));
      sent.on("error", (error: NodeJS.ErrnoException) => {
        const isStale = sent.reusedSocket && (error.code === "ECONNRESET" || error.code === "EPIPE");
        reject(isStale ? new StaleConnection() : error);
      });
      sent.end(statement);
    });
  }

  async function answerTo(path: string, statement: string): Promise<string> {
    try {
      return await once(path, statement, agent);
    } catch (error) {
      if (error instanceof StaleConnection) return once(path, statement, fresh);
      throw error;
    }
  }

  return {
    async send(statement, parameters, settings) {
      const asked = new URLSearchParams();
      for (const [name, value] of Object.entries(settings)) asked.set(name, String(value));
      for (const [name, value] of Object.entries(parameters)) asked.set(`param_${name}`, escaped(value));
      try {
        return await answerTo(`${place.pathname}?${asked}`, statement);
      } catch (error) {
        if (error instanceof ClickHouseError || !(error instanceof Error)) throw error;
        throw noAnswer(reasonOf(error), { cause: error });
      }
    },
    close() {
      agent.destroy();
      fresh.destroy();
    },
  };
}

/**
 * The text of an answer.
 * @throws ClickHouseError if it reports a failure; Error if it is incomplete or too long
 */
async function answerIn(response: IncomingMessage, mostBytes: number): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length > mostBytes) throw new Error(`the answer is longer than ${mostBytes / megabyte} MB`);
    pieces.push(piece);
  }
  const answer = Buffer.concat(pieces).toString();
  const { statusCode, headers } = response;
  if (statusCode !== 200 || headers["x-clickhouse-exception-code"] !== undefined) throw failureIn(answer);
  return answer;
}

/** A text as the server reads values of parameters. */
function escaped(value: string): string {
  return value.replace(/[\\'\t\n\r]/g, (character) => escapes[character] ?? "");
}

const escapes: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "'": "\\'",
  "\t": "\\t",
  "\n": "\\n",
  "\r": "\\r",
};
