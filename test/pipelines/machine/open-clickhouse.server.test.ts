import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openClickHouse } from "../../../src/pipelines/machine/clickhouse/open-clickhouse.js";
import type { ClickHouse } from "../../../src/pipelines/sinks/clickhouse-server.js";

/** What the played server was asked last, and how it answers. */
let asked: URL;
let answer: (response: ServerResponse) => void;
const server = createServer((request, response) => {
  asked = new URL(request.url ?? "", "http://played");
  request.resume().on("end", () => answer(response));
});
const login = { username: "u", password: "p", database: "default" };
let opened: ClickHouse;
let url: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  url = `http://127.0.0.1:${port}`;
  opened = await openClickHouse({ url, ...login });
});

afterAll(async () => {
  await opened.close();
  server.closeAllConnections();
  server.close();
});

const exception = "Code: 241. DB::Exception: Memory limit exceeded: would use 9 GiB. (MEMORY_LIMIT_EXCEEDED)";
const insert = (): Promise<void> => opened.insert("INSERT INTO t FORMAT Native", [new Uint8Array(3)], "id");

it("the ClickHouse client requests an answer only when everything is done, and waits for inserts", async () => {
  answer = (response) => response.end();
  await insert();
  expect(Object.fromEntries(asked.searchParams)).toMatchObject({
    query: "INSERT INTO t FORMAT Native",
    query_id: "id",
    wait_end_of_query: "1",
    async_insert: "0",
  });
});

it.each<readonly [string, (response: ServerResponse) => void]>([
  ["by its status", (response) => response.writeHead(500).end(exception)],
  [
    "by a header",
    (response) => response.writeHead(200, { "X-ClickHouse-Exception-Code": "241" }).end(exception),
  ],
  ["in the body of an answer that began well", (response) => response.end(`\n\n${exception}`)],
])("the ClickHouse client notices a failure %s", async (_, play) => {
  answer = play;
  const failure = {
    name: "ClickHouseError",
    code: 241,
    message: expect.stringContaining("Memory limit exceeded"),
  };
  await expect(insert()).rejects.toMatchObject(failure);
  await expect(opened.run("CREATE TABLE t")).rejects.toMatchObject(failure);
  await expect(opened.query("SELECT 1")).rejects.toMatchObject(failure);
});

it("the ClickHouse client rejects an incomplete answer", async () => {
  answer = (response) => {
    response.writeHead(200, { "Content-Length": "100" }).write('{"a":1}\n');
    setImmediate(() => response.destroy());
  };
  await expect(opened.query("SELECT a")).rejects.toMatchObject({ name: "ClickHouseError", code: undefined });
});

it("the ClickHouse client retries if the server has closed an idle connection", async () => {
  answer = (response) => response.end('{"a":1}\n');
  await opened.query("SELECT a");
  let closed = 0;
  answer = (response) => {
    if (closed++ === 0) response.destroy();
    else response.end('{"a":2}\n');
  };
  expect(await opened.query("SELECT a")).toEqual([{ a: 2 }]);
  expect(closed).toBe(2);
});

it("the ClickHouse client sends parameters in the server's format", async () => {
  answer = (response) => response.end();
  await opened.query("SELECT {a:String}", { a: "it's\ta \\ \r\n&" });
  expect(asked.searchParams.get("param_a")).toBe("it\\'s\\ta \\\\ \\r\\n&");
  expect(asked.searchParams.get("wait_end_of_query")).toBe("1");
});

it("the ClickHouse client distinguishes a server that leaves a statement unanswered from an unreachable one", async () => {
  answer = () => undefined;
  const impatient = await openClickHouse({ url, ...login }, 200);
  await expect(impatient.query("SELECT 1")).rejects.toMatchObject({ code: undefined, isSilent: true });
  await impatient.close();
  answer = (response) => void response.destroy();
  await expect(opened.query("SELECT 1")).rejects.toMatchObject({ code: undefined, isSilent: false });
});
