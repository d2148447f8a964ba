import { expect, it } from "vitest";
import { createThreadWorld } from "../../../src/hosting/embedded/thread-world.js";
import { resourceSizes } from "../../../src/pipelines/host/resource-sizes.js";
import { servedWorld } from "../../../src/pipelines/host/served/served-world.js";
import type { Database } from "../../../src/store/database/database.js";

const world = createThreadWorld(() => Promise.reject(new Error("no network")), new AbortController().signal);

/** What a pipeline may reach on a server that many use. */
function reaching(listed: readonly string[] = [], files?: string): ReturnType<typeof servedWorld> {
  return servedWorld({
    limits: resourceSizes.xs,
    reach: { allowsPrivate: false, listed },
    files,
    filesMegabytes: 1,
    database: {} as Database,
    world,
    secret: () => undefined,
    out: () => undefined,
  });
}

const isPrivate = /^The server does not connect to .*--reachable/;

it.each([
  ["postgres://u:p@127.0.0.1:1/db", isPrivate],
  ["postgres://u:p@[::1]:1/db", isPrivate],
  ["postgres://u:p@localhost:1/db", isPrivate],
  ["postgres://u:p@0x7f.1:1/db", isPrivate],
  ["postgres://u:p@%31%32%37.0.0.1:1/db", isPrivate],
  // Only the last @ ends the password.
  ["postgres://u:p@192.0.2.1@127.0.0.1:1/db", isPrivate],
  ["postgres://u:p@/db", /is not a URL/],
  ["postgres:///db", isPrivate],
  ["postgres://u:p@8.8.8.8/db?host=127.0.0.1", isPrivate],
  ["postgres://u:p@8.8.8.8/db?host=%2Fvar%2Frun%2Fpostgresql", /neither a name nor an IP address/],
  ["postgres://u:p@%2Fvar%2Frun%2Fpostgresql/db", /neither a name nor an IP address/],
  ["postgres://u:p@8.8.8.8/db?sslrootcert=/etc/passwd", /cannot name files of the server.*sslrootcert/],
])("PostgreSQL on a private address is not reached in any notation: %s", async (address, why) => {
  const ports = reaching();
  await expect(ports.openDatabase(address)).rejects.toThrow(why);
  ports.close();
});

it.each([
  ["mysql://u:p@127.0.0.1:1/db", isPrivate],
  ["mysql://u:p@192.0.2.1@127.0.0.1:1/db", isPrivate],
  ["mysql://u:p@8.8.8.8/db?socket=/run/mysqld/mysqld.sock", /cannot name files of the server.*socket/],
  ["mysql://u:p@8.8.8.8/db?ssl-ca=/etc/passwd", /cannot name files of the server.*ssl-ca/],
])("MySQL on a private address is not reached in any notation: %s", async (address, why) => {
  const ports = reaching();
  await expect(ports.openMysql(address)).rejects.toThrow(why);
  await expect(ports.admit(address)).rejects.toThrow(why);
  ports.close();
});

it("brokers and ClickHouse servers on private addresses are not reached", async () => {
  const ports = reaching();
  const kafka = { brokers: ["127.0.0.1:1"], isTls: false };
  await expect(ports.openKafka(kafka)).rejects.toThrow(isPrivate);
  const clickHouse = { url: "http://127.0.0.1:1", username: "u", password: "p", database: "d" };
  await expect(ports.openClickHouse(clickHouse)).rejects.toThrow(isPrivate);
  ports.close();
});

it("addresses that the operator has listed are reached", async () => {
  const ports = reaching(["127.0.0.1"]);
  await expect(ports.openDatabase("postgres://u:p@127.0.0.1:1/db")).rejects.toThrow(
    /ECONNREFUSED|refused|reach/,
  );
  ports.close();
});

it.each([
  "../other",
  "./../other",
  "a/../../other",
  "..",
  "/etc",
  "../../other",
])("files of a project stay below its folder: %s", (path) => {
  const ports = reaching([], "/data/files/1");
  expect(() => ports.openFiles(path)).toThrow(/below the folder of the project/);
  ports.close();
});
