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

/** What a receiver does with a delivery instead of taking it: before it has taken it, or after. */
export type ReceiverFault = "fails" | "hangs" | "disconnects" | "lies";

/** A receiver of webhooks that keeps a table as consumers are told to. */
export interface WebhookReceiver {
  readonly url: string;
  /** All deliveries that it took, in their order. */
  readonly taken: readonly ReceivedEvent[];
  readonly headers: readonly IncomingHttpHeaders[];
  /** All deliveries that arrived. */
  readonly arrived: () => number;
  /** Deliveries that it has not answered yet. */
  readonly open: () => number;
  /** The most that were open at the same time. */
  readonly mostOpen: () => number;
  /** The rows with the highest vid by id, those whose range is closed left out. */
  table(): ReadonlyMap<string, ReceivedRow>;
  /** Decides about each delivery from now on. */
  judge(fault: (event: ReceivedEvent) => ReceiverFault | number | undefined): void;
  /** Answers all that hang. */
  stop(): Promise<void>;
}

/** Starts a receiver on a port, a free one unless it is given. */
export async function startReceiver(port = 0): Promise<WebhookReceiver> {
  const taken: ReceivedEvent[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const rows = new Map<string, ReceivedRow>();
  let judge: Parameters<WebhookReceiver["judge"]>[0] = () => undefined;
  let [arrived, open, mostOpen] = [0, 0, 0];

  const take = (event: ReceivedEvent): void => {
    taken.push(event);
    keep(rows, event);
  };
  const answer = (response: ServerResponse, event: ReceivedEvent): void => {
    const fault = judge(event);
    if (fault === undefined || fault === "lies") take(event);
    if (fault === "hangs") return;
    if (fault === "disconnects") response.destroy();
    else if (typeof fault === "number") response.writeHead(fault).end();
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
      answer(response, JSON.parse(Buffer.concat(pieces).toString()));
    });
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    taken,
    headers,
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

/** Upsert by id, the highest vid wins; what is deleted goes if it is what is kept. */
function keep(rows: Map<string, ReceivedRow>, { data }: ReceivedEvent): void {
  const row = data.new ?? data.old;
  if (!row) throw new Error("an event without rows");
  const kept = rows.get(row.id);
  if (kept && BigInt(kept.vid) > BigInt(row.vid)) return;
  if (data.new) rows.set(row.id, data.new);
  else if (kept) rows.delete(row.id);
}
