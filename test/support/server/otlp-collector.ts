import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

/** A span as a collector got it. Ids are hex. */
export interface CollectedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty without a parent. */
  readonly parentId: string;
  readonly kind: number;
  /** Milliseconds. */
  readonly duration: number;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** The trace ids of its links. */
  readonly links: readonly string[];
  /** 2 for an error. */
  readonly status: number;
  /** The attributes of what sent it. */
  readonly resource: Readonly<Record<string, string | number>>;
}

/** A collector of traces over OTLP/HTTP, on this machine. */
export interface OtlpCollector {
  readonly address: string;
  readonly spans: CollectedSpan[];
  /** The bodies of all requests. */
  readonly bodies: Buffer[];
  readonly headers: IncomingHttpHeaders[];
  /** What it does with requests: it takes them, or reads them and never answers, or refuses them. */
  mode: "takes" | "hangs" | "refuses";
  stop(): Promise<void>;
}

export async function startOtlpCollector(): Promise<OtlpCollector> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    collector.bodies.push(body);
    collector.headers.push(request.headers);
    if (collector.mode === "hangs") return;
    if (collector.mode === "refuses" || request.url !== "/v1/traces") {
      response.statusCode = 400;
      return response.end("refused");
    }
    collector.spans.push(...spansIn(body));
    return response.setHeader("content-type", "application/x-protobuf").end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const collector: OtlpCollector = {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: [],
    bodies: [],
    headers: [],
    mode: "takes",
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return collector;
}

/** The values of a message in Protocol Buffers, by the number of their field. */
type Fields = ReadonlyMap<number, readonly (Buffer | number)[]>;

function fieldsIn(bytes: Buffer): Fields {
  const found = new Map<number, (Buffer | number)[]>();
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  const cut = (length: number): Buffer => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = varint();
    const type = tag & 7;
    const value = type === 0 ? varint() : type === 1 ? cut(8) : type === 5 ? cut(4) : cut(varint());
    const number = Math.floor(tag / 8);
    found.set(number, [...(found.get(number) ?? []), value]);
  }
  return found;
}

const messages = (fields: Fields, number: number): readonly Fields[] =>
  (fields.get(number) ?? []).map((value) => fieldsIn(value as Buffer));
const bytesOf = (fields: Fields, number: number): Buffer =>
  (fields.get(number)?.[0] as Buffer) ?? Buffer.alloc(0);

function attributesOf(fields: Fields, number: number): Readonly<Record<string, string | number>> {
  const pairs = messages(fields, number).map((pair) => {
    const value = fieldsIn(bytesOf(pair, 2));
    const text = value.get(1)?.[0];
    return [bytesOf(pair, 1).toString(), text ? text.toString() : Number(value.get(3)?.[0])] as const;
  });
  return Object.fromEntries(pairs);
}

/** The spans of an `ExportTraceServiceRequest`. */
function spansIn(body: Buffer): readonly CollectedSpan[] {
  return messages(fieldsIn(body), 1).flatMap((group) =>
    messages(group, 2).flatMap((scope) =>
      messages(scope, 2).map((span) => ({
        name: bytesOf(span, 5).toString(),
        traceId: bytesOf(span, 1).toString("hex"),
        spanId: bytesOf(span, 2).toString("hex"),
        parentId: bytesOf(span, 4).toString("hex"),
        kind: Number(span.get(6)?.[0]),
        duration:
          Number((bytesOf(span, 8).readBigUInt64LE() - bytesOf(span, 7).readBigUInt64LE()) / 1_000n) / 1_000,
        attributes: attributesOf(span, 9),
        links: messages(span, 13).map((link) => bytesOf(link, 1).toString("hex")),
        status: Number(fieldsIn(bytesOf(span, 15)).get(3)?.[0] ?? 0),
        resource: attributesOf(fieldsIn(bytesOf(group, 1)), 1),
      })),
    ),
  );
}
