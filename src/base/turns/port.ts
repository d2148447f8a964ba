/** One end of a connection that carries messages: the port of a thread, or a channel to another process. */
export interface Port {
  /** @param transfer memory to move instead of copy, where possible */
  postMessage(message: unknown, transfer?: readonly ArrayBuffer[]): void;
  /** Listens to messages. Messages that arrive before the first listener wait. */
  on<Message>(event: "message", hear: (message: Message) => void): unknown;
  /** Called when either end is closed. */
  on(event: "close", hear: () => void): unknown;
  close(): void;
}
