import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A delivery as it arrived. */
export interface ReceivedEvent {
  readonly op: "INSERT" | "UPDATE" | "DELETE";
  readonly data_source: string;
  readonly data: { readonly old: ReceivedRow | null; readonly new: ReceivedRow | null };
  readonly webhook_name: string;
  readonly webhook_id: string;
  readonly id: string;
  readonly delivery_info: { readonly max_retries: number; readonly current_retry: number };
  readonly entity: string;
}

export type ReceivedRow = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly vid: string;
  readonly block_range: string;
};

/** A fault of a receiver, before or after it has stored a delivery. */
export type ReceiverFault = "fails" | "hangs" | "disconnects" | "lies";

/** A receiver of webhooks that keeps a table as the manual recommends. */
export interface WebhookReceiver {
  readonly url: string;
  /** All deliveries that it stored, in order. */
  readonly taken: readonly ReceivedEvent[];
  readonly headers: readonly IncomingHttpHeaders[];
  /** The path of each request, in the order of the headers. */
  readonly paths: readonly (string | undefined)[];
  /** All deliveries that arrived. */
  readonly arrived: () => number;
  /** Deliveries that it has not answered yet. */
  readonly open: () => number;
  /** The largest number of concurrent deliveries. */
  readonly mostOpen: () => number;
  /** For each id, the row with the highest vid, except rows whose range is closed. */
  table(): ReadonlyMap<string, ReceivedRow>;
  /** Sets the fault of each delivery from now on. */
  judge(fault: (event: ReceivedEvent) => ReceiverFault | number | undefined): void;
  /** Answers all hanging deliveries. */
  stop(): Promise<void>;
}

/** Starts a receiver on a port, a free one by default. */
export async function startReceiver(port = 0): Promise<WebhookReceiver> {
  const taken: ReceivedEvent[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const paths: (string | undefined)[] = [];
  const rows = new Map<string, ReceivedRow>();
  let judge: Parameters<WebhookReceiver["judge"]>[0] = () => undefined;
  let [arrived, open, mostOpen] = [0, 0, 0];

  const take = (event: ReceivedEvent): void => {
    taken.push(event);
    keep(rows, event.data);
  };
  const answer = (response: ServerResponse, event: ReceivedEvent, sent: unknown): void => {
    const fault = judge(event);
    if (fault === undefined || fault === "lies") take(event);
    if (fault === "hangs") return;
    if (fault === "disconnects") response.destroy();
    else if (typeof fault === "number") response.writeHead(fault).end(`refused with ${JSON.stringify(sent)}`);
    else response.writeHead(fault === undefined ? 204 : 500).end();
  };
  const server = createServer((request, response) => {
    arrived += 1;
    open += 1;
    mostOpen = Math.max(open, mostOpen);
    response.on("close", () => {
      open -= 1;
    });
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      headers.push(request.headers);
      paths.push(request.url);
      answer(
        response,
        JSON.parse(Buffer.concat(pieces).toString()),
        request.headers["graphloom-webhook-secret"],
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    taken,
    headers,
    paths,
    arrived: () => arrived,
    open: () => open,
    mostOpen: () => mostOpen,
    table: () => new Map([...rows].filter(([, row]) => row.block_range.endsWith(",)"))),
    judge: (fault) => {
      judge = fault;
    },
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Upserts by id: the highest vid wins. A deletion removes the row if it is the stored one. */
export function keep(rows: Map<string, ReceivedRow>, data: ReceivedEvent["data"]): void {
  const row = data.new ?? data.old;
  if (!row) throw new Error("an event without rows");
  const kept = rows.get(row.id);
  if (kept && BigInt(kept.vid) > BigInt(row.vid)) return;
  if (data.new) rows.set(row.id, data.new);
  else if (kept) rows.delete(row.id);
}
