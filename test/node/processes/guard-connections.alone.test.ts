import { once } from "node:events";
import { get } from "node:http";
import { type AddressInfo, connect, createServer, Socket } from "node:net";
import { connect as connectSecurely } from "node:tls";
import { afterAll, beforeAll, expect, it } from "vitest";
import { guardConnections } from "../../../src/node/processes/guard-connections.js";

const server = createServer((socket) => {
  socket.on("error", () => undefined);
  socket.on("data", (bytes: Buffer) => {
    arrived.push(bytes.toString());
    socket.end("HTTP/1.1 204 No Content\r\n\r\n");
  });
});
const arrived: string[] = [];
let port = 0;

beforeAll(async () => {
  guardConnections({
    refusal: (address) =>
      /^127\.0\.0\.[13]$|^::1$/.test(address) ? `${address} is a private address` : undefined,
    trusted: ["127.0.0.3"],
  });
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
])("does not connect to %s", async (_, open) => {
  const [error] = await once(open(), "error");
  expect(String(error)).toMatch(/forbidden: (?:127\.0\.0\.1|::1) is a private address/);
  expect(arrived).toEqual([]);
});

it.each([
  ["other addresses", () => send(connect({ host: "127.0.0.2", port }))],
  ["what is trusted", () => send(new Socket().connect(port, "127.0.0.3"))],
])("connects to %s", async (_, open) => {
  const socket = open();
  await once(socket, "data");
  socket.destroy();
  expect(arrived.splice(0)).toEqual(["sent"]);
});
