import { once } from "node:events";
import { get } from "node:http";
import { type AddressInfo, connect, createServer, Socket, type TcpNetConnectOpts } from "node:net";
import { connect as connectSecurely } from "node:tls";
import { afterAll, beforeAll, expect, it } from "vitest";
import { guardConnections } from "../../../src/machine/processes/guard-connections.js";

const server = createServer((socket) => {
  socket.on("error", () => undefined);
  socket.on("data", (bytes: Buffer) => {
    arrived.push(bytes.toString());
    socket.end("HTTP/1.1 204 No Content\r\n\r\n");
  });
});
const arrived: string[] = [];
let port = 0;
let ownSocket: () => Socket;
const forbiddenPort = 2;

beforeAll(async () => {
  ownSocket = guardConnections(({ address, port }) =>
    // Throws without an address, as the real rule does.
    (address.split(".").length > 0 && /^127\.0\.0\.[13]$|^::1$/.test(address)) || port === forbiddenPort
      ? `${address} is a private address`
      : undefined,
  );
  server.listen(0, "0.0.0.0");
  await once(server, "listening");
  port = (server.address() as AddressInfo).port;
});
afterAll(() => server.close());

const send = (socket: Socket): Socket => {
  socket.write("sent");
  return socket;
};

it.each([
  ["a name", () => send(connect({ host: "localhost", port }))],
  ["a name with one family", () => send(connect({ host: "localhost", port, family: 4 }))],
  ["a name, as clients of PostgreSQL connect", () => send(new Socket().connect(port, "localhost"))],
  ["an address that a server has named", () => send(connect({ host: "127.0.0.1", port }))],
  ["an address with TLS", () => connectSecurely({ host: "127.0.0.1", port })],
  ["an address with HTTP", () => get(`http://127.0.0.1:${port}/`)],
])("a guarded process does not connect to %s", async (_, open) => {
  const [error] = await once(open(), "error");
  expect(String(error)).toMatch(/forbidden: (?:127\.0\.0\.1|::1) is a private address/);
  expect(arrived).toEqual([]);
});

it.each([
  ["as a number", () => connect({ host: "127.0.0.2", port: forbiddenPort })],
  ["as a text", () => connect({ host: "127.0.0.2", port: String(forbiddenPort) as unknown as number })],
  ["before the host", () => new Socket().connect(forbiddenPort, "127.0.0.2")],
  ["of a name", () => connect({ host: "db.example", port: forbiddenPort, lookup: answering("127.0.0.2") })],
  ["with TLS", () => connectSecurely({ host: "127.0.0.2", port: forbiddenPort })],
  ["with HTTP", () => get(`http://127.0.0.2:${forbiddenPort}/`)],
  ["without a host", () => connect({ port: forbiddenPort })],
])("a guarded process knows the port of a connection: %s", async (_, open) => {
  const [error] = await once(open(), "error");
  expect(String(error)).toMatch(/forbidden: .* is a private address/);
});

/** What a resolver answers: an error, or addresses. */
type Lookup = NonNullable<TcpNetConnectOpts["lookup"]>;
const failing =
  (code: string): Lookup =>
  (_host, _options, answer) => {
    const error = Object.assign(new Error(`getaddrinfo ${code}`), { code });
    setImmediate(() => answer(error, undefined as unknown as string));
  };
const answering =
  (...addresses: readonly string[]): Lookup =>
  (_host, options, answer) => {
    const all = addresses.map((address) => ({ address, family: 4 }));
    setImmediate(() => (options.all ? answer(null, all) : answer(null, addresses[0] as string, 4)));
  };

it.each([
  ["a name that nobody has", failing("ENOTFOUND"), /ENOTFOUND/],
  ["a name while the resolver is away", failing("EAI_AGAIN"), /EAI_AGAIN/],
  ["a name with an odd address", answering("not an address"), /Invalid IP address/],
  ["a name with a forbidden address", answering("127.0.0.1"), /forbidden: 127\.0\.0\.1/],
  ["a name with a forbidden second address", answering("127.0.0.4", "127.0.0.1"), /ECONNREFUSED|forbidden/],
])("a guarded process reports an error of the socket for %s, in both ways to look names up", async (_, lookup, message) => {
  for (const autoSelectFamily of [true, false]) {
    const [error] = await once(connect({ host: "db.example", port: 1, lookup, autoSelectFamily }), "error");
    expect([error, ...(error.errors ?? [])].map(String).join()).toMatch(message);
  }
});

it("a guarded process connects to a name once the resolver is back", async () => {
  await once(connect({ host: "db.example", port, lookup: failing("EAI_AGAIN") }), "error");
  const socket = send(connect({ host: "db.example", port, lookup: answering("127.0.0.2") }));
  await once(socket, "data");
  socket.destroy();
  expect(arrived.splice(0)).toEqual(["sent"]);
});

it.each([
  ["other addresses", () => send(connect({ host: "127.0.0.2", port }))],
  ["where the process's own clients do", () => send(ownSocket().connect(port, "127.0.0.3"))],
  ["a name from the process's own clients", () => send(ownSocket().connect(port, "localhost"))],
])("a guarded process connects to %s", async (_, open) => {
  const socket = open();
  await once(socket, "data");
  socket.destroy();
  expect(arrived.splice(0)).toEqual(["sent"]);
});
