import { chmodSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createNodeWorld } from "../../../src/machine/world.js";
import { SQL } from "../../../src/store/database/database.js";
import { openForeignDatabase } from "../../../src/store/open.js";
import {
  type PostgresServer,
  postgresMissing,
  startPostgres,
} from "../../support/database/postgres-server.js";
import { useFolder } from "../../support/folder.js";
import { lackOfCertificates, makeAuthority } from "../../support/servers/certificates.js";
import { freePorts } from "../../support/servers/java-server.js";

const missing = postgresMissing ?? lackOfCertificates();

describe.skipIf(missing !== undefined)(`a connection to PostgreSQL${missing ? `: ${missing}` : ""}`, () => {
  const folder = useFolder();
  let server: PostgresServer;
  let port: number;
  let authority: string;

  beforeAll(async () => {
    // The server runs as another user, who has to reach its key.
    chmodSync(folder, 0o755);
    [port = 0] = await freePorts(1);
    const ours = makeAuthority(folder, "authority");
    authority = ours.path;
    const keys = ours.sign("server", "DNS:localhost");
    server = await startPostgres({
      listen_addresses: "127.0.0.1",
      port: String(port),
      ssl_cert_file: keys,
      ssl_key_file: keys,
    });
  });
  afterAll(() => server?.stop());

  /** What comes of a connection: whether it is encrypted, or why there is none. */
  async function connected(
    parameters: Readonly<Record<string, string>>,
    host = "localhost",
  ): Promise<string> {
    const address = `postgres://postgres@${host}:${port}/postgres?${new URLSearchParams(parameters)}`;
    try {
      const database = await openForeignDatabase(address, createNodeWorld());
      const [row] = await database.query(SQL`select ssl::text from pg_stat_ssl where pid = pg_backend_pid()`);
      await database.close();
      return row?.ssl === "true" ? "encrypted" : "plain text";
    } catch (error) {
      return String(error);
    }
  }

  it("is refused if it has to be encrypted and the server has no TLS", async () => {
    expect(await connected({ sslmode: "verify-full", sslrootcert: authority })).toContain(
      "the server does not encrypt connections",
    );
  });

  it("is encrypted to a server whose certificate is checked, and otherwise plain text", async () => {
    const checked = { sslmode: "verify-full", sslrootcert: authority };
    const own = await openForeignDatabase(
      `postgres://postgres@localhost:${port}/postgres`,
      createNodeWorld(),
    );
    await own.run(SQL`alter system set ssl = on`);
    await own.run(SQL`select pg_reload_conf()`);
    await own.close();
    await expect.poll(() => connected(checked)).toBe("encrypted");
    expect(await connected(checked, "127.0.0.1")).toContain(
      "certificate is for localhost, and not for 127.0.0.1",
    );
    const other = makeAuthority(folder, "other").path;
    expect(await connected({ ...checked, sslrootcert: other })).toContain("comes from an unknown authority");
    expect(await connected({ sslmode: "verify-full" })).toContain("comes from an unknown authority");
    expect(await connected({})).toBe("plain text");
  });
});
