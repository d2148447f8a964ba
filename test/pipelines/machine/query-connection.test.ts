import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { expect, it, onTestFinished } from "vitest";
import {
  openQueryConnection,
  type QueryConnection,
} from "../../../src/pipelines/machine/clickhouse/query-connection.js";

/** A connection to a played server. */
async function connected(host: string, answer: RequestListener): Promise<QueryConnection> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
  const connection = openQueryConnection({ url, username: "u", password: "p" }, 5_000, 2 * 1_048_576);
  onTestFinished(() => {
    connection.close();
    server.closeAllConnections();
    server.close();
  });
  return connection;
}

it("the client refuses an answer without end", async () => {
  const connection = await connected("127.0.0.1", (_, response) => {
    const write = (): void => {
      while (!response.destroyed && response.write("x".repeat(65_536)));
      response.once("drain", write);
    };
    write();
  });
  await expect(connection.send("SELECT 1", {}, {})).rejects.toThrow(
    "ClickHouse does not answer: the answer is longer than 2 MB",
  );
});

/** Whether this machine has the address. */
const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === "::1"),
);

it.skipIf(!hasIpv6)("the client reaches a server by its IPv6 address", async () => {
  const connection = await connected("::1", (_, response) => response.end("one"));
  expect(await connection.send("SELECT 1", {}, {})).toBe("one");
});
