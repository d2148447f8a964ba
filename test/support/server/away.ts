import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Something on the loop-back interface that pipelines write to, and that can be away. */
export interface Away {
  readonly port: number;
  isAway: boolean;
  stop(): Promise<void>;
}

/** Opens a door to a server that listens on a socket in the file system. Away, it cuts connections and takes none. */
export async function openDoor(socketPath: string): Promise<Away> {
  const sockets = new Set<Socket>();
  let isAway = false;
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((from) => {
    if (isAway) return void from.destroy();
    const to = connect(socketPath);
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      sockets.add(one);
      one
        .on("error", () => undefined)
        .on("close", () => {
          sockets.delete(one);
          other.destroy();
        });
    }
    from.pipe(to).pipe(from);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    get isAway() {
      return isAway;
    },
    set isAway(on) {
      isAway = on;
      if (on) cut();
    },
    async stop() {
      cut();
      server.close();
    },
  };
}

/** A row that a pipeline has sent. */
export type SentRow = Readonly<Record<string, unknown>> & { readonly id: string };

/** A receiver of pipelines' webhooks. It keeps a table for each path, as the manual recommends. */
export interface TableReceiver extends Away {
  readonly tables: ReadonlyMap<string, ReadonlyMap<string, SentRow>>;
}

/** Starts a receiver on a free port. Away, it refuses what it gets. */
export async function openTableReceiver(): Promise<TableReceiver> {
  const tables = new Map<string, Map<string, SentRow>>();
  const server = createHttpServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    if (receiver.isAway) return void response.writeHead(503).end();
    const path = request.url ?? "";
    const table = tables.get(path) ?? new Map<string, SentRow>();
    tables.set(path, table);
    for (const { op, row } of JSON.parse(text) as readonly { readonly op: string; readonly row: SentRow }[])
      if (op === "d") table.delete(row.id);
      else table.set(row.id, row);
    response.writeHead(204).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const receiver: TableReceiver & { isAway: boolean } = {
    port: (server.address() as AddressInfo).port,
    isAway: false,
    tables,
    async stop() {
      server.closeAllConnections();
      server.close();
    },
  };
  return receiver;
}
