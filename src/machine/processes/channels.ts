import type { Duplex } from "node:stream";
import { deserialize, serialize } from "node:v8";
import { type Fail, guarded } from "../../base/turns/guarded.js";
import type { Port } from "../../base/turns/port.js";

/** Each message is preceded by its length in bytes and its channel number. */
const headBytes = 8;
const mostBytes = 512 * 1024 * 1024;

/**
 * Numbered channels between two processes over one connection. Each works like a `MessagePort` between threads,
 * except that messages are always copied. When the connection ends, all channels are closed.
 */
export class Channels {
  readonly #connection: Duplex;
  readonly #isParent: boolean;
  readonly #fail: Fail;
  readonly #channels = new Map<number, Channel>();
  #pieces: Buffer[] = [];
  #length = 0;
  #isOver = false;

  /**
   * @param side A parent stops reading while its child does not accept messages, so that the child cannot make it
   *   buffer without limit. It opens all channels before anything arrives.
   * @param fail receives errors of message handlers, and the reason if received bytes are not a message
   */
  constructor(connection: Duplex, side: "parent" | "child", fail: Fail) {
    this.#connection = connection;
    this.#isParent = side === "parent";
    this.#fail = fail;
    connection.on(
      "data",
      guarded((piece: Buffer) => this.#take(piece), fail),
    );
    connection.on("drain", () => connection.resume());
    // The close event reports a lost connection.
    connection.on("error", () => undefined);
    connection.on(
      "close",
      guarded(() => this.#end(), fail),
    );
  }

  /** The channel with a number that both ends know. */
  open(number: number): Port {
    return this.#open(number);
  }

  #open(number: number): Channel {
    const known = this.#channels.get(number);
    if (known) return known;
    const channel = new Channel((bytes) => this.#send(number, bytes));
    this.#channels.set(number, channel);
    return channel;
  }

  #send(number: number, bytes: Buffer): void {
    if (this.#isOver) return;
    if (bytes.length > mostBytes) throw new RangeError(`a message of ${bytes.length} bytes is too long`);
    const head = Buffer.allocUnsafe(headBytes);
    head.writeUInt32LE(bytes.length, 0);
    head.writeUInt32LE(number, 4);
    this.#connection.cork();
    this.#connection.write(head);
    const isTaken = this.#connection.write(bytes);
    this.#connection.uncork();
    if (!isTaken && this.#isParent) this.#connection.pause();
  }

  #take(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#length += piece.length;
    for (let found = this.#next(); found; found = this.#next()) found();
  }

  #next(): (() => void) | undefined {
    try {
      return this.#read();
    } catch (error) {
      this.#connection.destroy();
      this.#fail(error);
      return undefined;
    }
  }

  #read(): (() => void) | undefined {
    if (this.#length < headBytes) return undefined;
    const head = this.#joined(headBytes);
    const length = head.readUInt32LE(0);
    const number = head.readUInt32LE(4);
    if (length > mostBytes) throw new RangeError(`a message of ${length} bytes is too long`);
    if (this.#length < headBytes + length) return undefined;
    const all = this.#joined(headBytes + length);
    const rest = all.subarray(headBytes + length);
    this.#pieces = [...(rest.length === 0 ? [] : [rest]), ...this.#pieces.slice(1)];
    this.#length -= headBytes + length;
    if (this.#isParent && !this.#channels.has(number)) throw new RangeError(`there is no channel ${number}`);
    const channel = this.#open(number);
    if (length === 0) return () => channel.end();
    const message: unknown = deserialize(all.subarray(headBytes, headBytes + length));
    return () => channel.hear(message);
  }

  /** The first piece, joined with the next ones if it is too short. */
  #joined(least: number): Buffer {
    const [first] = this.#pieces;
    if (first && first.length >= least) return first;
    const joined = Buffer.concat(this.#pieces);
    this.#pieces = [joined];
    return joined;
  }

  #end(): void {
    this.#isOver = true;
    this.#pieces = [];
    this.#length = 0;
    for (const channel of this.#channels.values()) channel.end();
  }
}

class Channel implements Port {
  readonly #send: (bytes: Buffer) => void;
  readonly #hearers: ((message: never) => void)[] = [];
  readonly #ends: (() => void)[] = [];
  #waiting: unknown[] = [];
  #isClosed = false;

  constructor(send: (bytes: Buffer) => void) {
    this.#send = send;
  }

  /** @throws Error if the message cannot be copied */
  postMessage(message: unknown): void {
    if (!this.#isClosed) this.#send(serialize(message));
  }

  on(event: "message" | "close", hear: (message: never) => void): void {
    if (event === "close") {
      this.#ends.push(hear as () => void);
      return;
    }
    this.#hearers.push(hear);
    for (const message of this.#waiting.splice(0)) hear(message as never);
  }

  close(): void {
    if (this.#isClosed) return;
    // An empty message means the end of the channel.
    this.#send(Buffer.alloc(0));
    this.end();
  }

  hear(message: unknown): void {
    if (this.#isClosed) return;
    if (this.#hearers.length === 0) this.#waiting.push(message);
    for (const hear of this.#hearers) hear(message as never);
  }

  end(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const end of this.#ends) end();
  }
}
