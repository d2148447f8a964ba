import type { Socket } from "node:net";
import pg from "pg";
import { reportFailure } from "../../../base/failures.js";
import { messageOf } from "../../../base/text/message-of.js";
import { inBackground } from "../../../base/turns/guarded.js";

/** The part of a connection that sends rows. */
interface CopyConnection {
  readonly stream: Socket;
  endCopyFrom(): void;
  sendCopyFail(why: string): void;
}

/** A COPY … FROM STDIN. Its content is sent once the server requests it, as fast as the server accepts it. */
class CopyQuery extends pg.Query {
  readonly #content: AsyncIterable<Uint8Array>;
  readonly #isOver: () => boolean;

  constructor(statement: string, content: AsyncIterable<Uint8Array>, isOver: () => boolean) {
    super(statement);
    this.#content = content;
    this.#isOver = isOver;
  }

  /** Called by the client. */
  handleCopyInResponse(connection: CopyConnection): void {
    inBackground(this.#send(connection), reportFailure);
  }

  async #send(connection: CopyConnection): Promise<void> {
    try {
      for await (const chunk of this.#content) {
        if (this.#isOver()) return;
        await send(connection.stream, chunk);
      }
      if (!this.#isOver()) connection.endCopyFrom();
    } catch (error) {
      // The server answers with an error that contains these words.
      connection.sendCopyFail(messageOf(error));
    }
  }
}

/**
 * Runs a COPY … FROM STDIN.
 * @param content in the format that the statement names
 * @throws the server's error
 */
export function copyInto(
  client: pg.ClientBase,
  statement: string,
  content: AsyncIterable<Uint8Array>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    const query = new CopyQuery(statement, content, () => isOver);
    query.on("end", () => {
      isOver = true;
      resolve();
    });
    query.on("error", (error: Error) => {
      isOver = true;
      reject(error);
    });
    client.query(query);
  });
}

/** The first byte of a message with content. */
const contentType = "d".charCodeAt(0);

/**
 * Sends a message with content. The client's own function copies it first, which costs more than everything else
 * here.
 * @returns once the content may be overwritten; also if the connection is lost, which the client tells the query
 */
function send(stream: Socket, chunk: Uint8Array): Promise<void> {
  const head = Buffer.alloc(5);
  head.writeUInt8(contentType, 0);
  head.writeUInt32BE(chunk.byteLength + 4, 1);
  return new Promise((resolve) => {
    stream.write(head);
    stream.write(chunk, () => resolve());
  });
}
