import { describe, expect, it } from "vitest";
import { encryptedMysql, encryptedPostgres } from "../../../src/pipelines/sinks/database-tls.js";
import { hostReach } from "../../../src/web/outgoing/host-reach.js";

const names: Readonly<Record<string, readonly string[]>> = {
  "db.example.com": ["8.8.8.8"],
  "db.internal": ["10.1.2.3"],
  "half.internal": ["10.1.2.3", "2606:4700::1"],
  localhost: ["127.0.0.1", "::1"],
};

function reachOf(host: string): ReturnType<typeof hostReach> {
  return hostReach(host, async (name) => {
    const found = names[name];
    if (!found) throw new Error("ENOTFOUND");
    return found.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  });
}

describe("how connections to a database are encrypted by default", () => {
  it.each([
    ["db.example.com", "verify-full"],
    ["8.8.8.8", "verify-full"],
    ["[2606:4700::1]", "verify-full"],
    ["[::ffff:8.8.8.8]", "verify-full"],
    ["half.internal", "verify-full"],
    ["absent.example", "verify-full"],
    ["db.internal", "prefer"],
    ["192.168.0.9:6432", "prefer"],
    ["[fd12::1]", "prefer"],
    ["localhost", "allow"],
    ["127.0.0.1", "allow"],
    ["[::1]:5432", "allow"],
  ])("PostgreSQL at %s is connected with %s", async (host, mode) => {
    const address = `postgres://u:p%40@${host}/db`;
    expect(await encryptedPostgres(address, reachOf)).toBe(`${address}?sslmode=${mode}`);
    const with_ = `${address}?options=-c%20a%3Db`;
    expect(await encryptedPostgres(with_, reachOf)).toBe(`${with_}&sslmode=${mode}`);
    const mysql = address.replace("postgres", "mysql");
    expect(await encryptedMysql(mysql, reachOf)).toBe(
      mode === "verify-full" ? `${mysql}?ssl-mode=verify_identity` : mysql,
    );
  });

  it("looks at the host that the client connects to", async () => {
    const address = "postgres://u:p@localhost/db?host=db.example.com";
    expect(await encryptedPostgres(address, reachOf)).toBe(`${address}&sslmode=verify-full`);
  });

  it.each([
    "postgres://u:p@db.example.com/db?sslmode=disable",
    "postgres://u:p@db.example.com/db?ssl=true",
    "postgres://u:p@db.example.com/db?sslrootcert=/ca.pem",
    "postgres://u:p@localhost/db?host=/var/run/postgresql",
    "postgres://u:p@%2Fvar%2Frun/db",
  ])("follows the PostgreSQL address, and is off on a socket: %s", async (address) => {
    expect(await encryptedPostgres(address, reachOf)).toBe(address);
  });

  it("follows the MySQL address, and is off on a socket", async () => {
    for (const query of [
      "ssl-mode=disabled",
      "ssl-mode=required&ssl-ca=/ca.pem",
      "socket=/run/mysqld.sock",
    ]) {
      const address = `mysql://u:p@db.example.com/db?${query}`;
      expect(await encryptedMysql(address, reachOf)).toBe(address);
    }
    const trusting = "mysql://u:p@db.internal/db?ssl-ca=/ca.pem";
    expect(await encryptedMysql(trusting, reachOf)).toBe(
      "mysql://u:p@db.internal/db?ssl-ca=/ca.pem&ssl-mode=verify_identity",
    );
  });
});
