import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkSecretValue } from "../../../src/api/secret-types.js";
import { createThreadWorld } from "../../../src/hosting/embedded/thread-world.js";
import { createNodeWorld } from "../../../src/machine/world.js";
import { resourceSizes } from "../../../src/pipelines/host/resource-sizes.js";
import { servedWorld } from "../../../src/pipelines/host/served/served-world.js";
import { openMysqlDatabase } from "../../../src/pipelines/machine/mysql/open-mysql.js";
import { databaseAddress } from "../../../src/pipelines/sinks/database-address.js";
import { type Database, DatabaseError, SQL } from "../../../src/store/database/database.js";
import { openForeignDatabase } from "../../../src/store/open.js";
import {
  type PostgresServer,
  postgresMissing,
  startPostgres,
} from "../../support/database/postgres-server.js";
import { useFolder } from "../../support/folder.js";
import {
  certificateKinds,
  certificatesFor,
  lackOfCertificates,
  makeAuthority,
} from "../../support/servers/certificates.js";
import { freePorts } from "../../support/servers/java-server.js";
import { type MariaDbServer, mariaDbMissing, startMariaDb } from "../../support/servers/mariadb.js";
import { until } from "../../support/until.js";

type Fields = Readonly<Record<string, unknown>>;
type Kind = (typeof certificateKinds)[number];

/** A pipeline's way to its databases on a server, whose secret is given. */
function served(secret: string): ReturnType<typeof servedWorld> {
  const network = createThreadWorld(
    () => Promise.reject(new Error("no network")),
    new AbortController().signal,
  );
  return servedWorld({
    limits: resourceSizes.xs,
    files: undefined,
    filesMegabytes: 1,
    reach: { allowsPrivate: true },
    database: {} as Database,
    world: network,
    secret: () => secret,
    out: () => undefined,
  });
}

/** A secret of the type jdbc, which the server would store. */
function jdbc(protocol: string, place: Fields, fields: Fields): string {
  const value = {
    type: "jdbc",
    protocol,
    databaseName: "postgres",
    user: "loader",
    password: "secret",
    ...place,
  };
  const all = { ...value, ...fields };
  expect(checkSecretValue(all)).toEqual([]);
  return JSON.stringify(all);
}

/** What comes of a connection: whether it is encrypted, or why there is none. */
async function outcomeOf(
  secret: string,
  isEncrypted: (world: ReturnType<typeof served>) => Promise<boolean>,
): Promise<string> {
  const world = served(secret);
  try {
    return (await isEncrypted(world)) ? "encrypted" : "plain text";
  } catch (error) {
    return words(error);
  } finally {
    world.close();
  }
}

function words(error: unknown): string {
  const hint = error instanceof DatabaseError && error.hint !== undefined ? `. ${error.hint}` : "";
  return error instanceof Error ? `${error.message}${hint}` : String(error);
}

const refusals: Readonly<Record<Exclude<Kind, "good">, RegExp>> = {
  "self-signed": /certificate is self-signed\. To trust it, put it in .*sslrootcert/,
  expired: /certificate has expired\. Renew the server's certificate\./,
  "wrong-name": /certificate is for other\.example, and not for localhost\. Connect to a name/,
};

const withoutPostgres = postgresMissing ?? lackOfCertificates();
describe.skipIf(withoutPostgres)(
  `a PostgreSQL that demands TLS${withoutPostgres ? `: ${withoutPostgres}` : ""}`,
  () => {
    const folder = useFolder();
    let server: PostgresServer;
    let port = 0;
    let authority = "";
    let certificates: ReturnType<typeof certificatesFor>;
    const keys = join(folder, "server.pem");

    beforeAll(async () => {
      chmodSync(folder, 0o755);
      [port = 0] = await freePorts(1);
      const ours = makeAuthority(folder, "authority");
      authority = readFileSync(ours.path, "utf8");
      certificates = certificatesFor(ours, folder, "DNS:localhost");
      copyFileSync(certificates.good, keys);
      chmodSync(keys, 0o600);
      const access = join(folder, "pg_hba.conf");
      writeFileSync(
        access,
        "local all all trust\nhostssl all all 127.0.0.1/32 trust\nhostssl all all ::1/128 trust\n",
      );
      server = await startPostgres({
        listen_addresses: "localhost",
        port: String(port),
        hba_file: access,
        ssl: "on",
        ssl_cert_file: keys,
        ssl_key_file: keys,
      });
      await administer((database) => database.run(SQL`create role loader login superuser`));
    });
    afterAll(() => server?.stop());

    async function administer<Result>(work: (database: Database) => Promise<Result>): Promise<Result> {
      const address = `${server.address("postgres")}&port=${port}`;
      const database = await openForeignDatabase(address, createNodeWorld());
      try {
        return await work(database);
      } finally {
        await database.close();
      }
    }

    /** The certificate with which the server answers from now on. */
    async function present(kind: Kind): Promise<void> {
      writeFileSync(keys, readFileSync(certificates[kind]));
      await administer((database) => database.run(SQL`select pg_reload_conf()`));
      const [, wanted = ""] = readFileSync(certificates[kind], "utf8").split(/(?=-----BEGIN CERT)/);
      await until(() => presented() === wanted.trim());
    }

    function presented(): string {
      const at = ["s_client", "-starttls", "postgres", "-connect", `localhost:${port}`];
      const said = execFileSync("openssl", at, { input: "", stdio: ["pipe", "pipe", "ignore"] }).toString();
      return /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/.exec(said)?.[0] ?? "";
    }

    /** What comes of a connection: whether it is encrypted, or why there is none. */
    async function connected(fields: Fields, host = "localhost"): Promise<string> {
      return outcomeOf(jdbc("postgres", { host, port }, fields), async (world) => {
        const database = await world.openDatabase(databaseAddress("DB", "postgres", world));
        const [row] = await database.query(
          SQL`select ssl::text from pg_stat_ssl where pid = pg_backend_pid()`,
        );
        await database.close();
        return row?.ssl === "true";
      });
    }

    it.each(
      certificateKinds,
    )("is written or refused for a reason, with a certificate that is %s", async (kind) => {
      await present(kind);
      const isGood = kind === "good";
      const refused = kind === "good" ? "encrypted" : refusals[kind];
      const signed = { sslrootcert: authority };
      // Modes without a check, as libpq has them.
      for (const sslmode of ["allow", "prefer", "require"])
        expect(await connected({ sslmode })).toBe("encrypted");
      expect(await connected({})).toBe("encrypted");
      expect(await connected({ sslmode: "disable" })).toMatch(
        /no encryption\. The server takes encrypted .*sslmode=/,
      );
      // An authority is asked for if it is given, and only verify-full compares the name.
      for (const sslmode of ["require", "verify-ca"])
        expect(await connected({ ...signed, sslmode })).toMatch(
          isGood || kind === "wrong-name" ? /^encrypted$/ : refused,
        );
      for (const checked of [{ sslmode: "verify-full" }, { ssl: true }, {}])
        expect(await connected({ ...signed, ...checked })).toMatch(refused);
    });

    it("is refused with an unknown authority, until the user names it", async () => {
      await present("good");
      const unknown =
        /certificate comes from an unknown authority\. To trust it, put the authority's certificate in sslrootcert\. sslmode=require encrypts without/;
      expect(await connected({ sslmode: "verify-full" })).toMatch(unknown);
      expect(await connected({ ssl: true })).toMatch(unknown);
      expect(await connected({ sslmode: "verify-full", sslrootcert: "system" })).toMatch(unknown);
      expect(await connected({ sslmode: "verify-ca" })).toMatch(/verify-ca needs sslrootcert/);
      expect(await connected({ sslmode: "require", sslrootcert: "system" })).toMatch(
        /Write sslmode=verify-full/,
      );
      expect(await connected({ ssl: true, sslmode: "disable" })).toMatch(/contradict each other/);
    });

    it("is reached in plain text only on request, and only if it has no TLS", async () => {
      await administer(async (database) => {
        await database.run(SQL`alter system set ssl = off`);
      });
      writeFileSync(join(folder, "pg_hba.conf"), "local all all trust\nhost all all localhost trust\n");
      await administer((database) => database.run(SQL`alter system reset ssl`));
      await server.stop();
      server = await startPostgres({
        listen_addresses: "localhost",
        port: String(port),
        hba_file: join(folder, "pg_hba.conf"),
      });
      await administer((database) => database.run(SQL`create role loader login superuser`));
      for (const fields of [
        {},
        { sslmode: "disable" },
        { sslmode: "allow" },
        { sslmode: "prefer" },
        { ssl: false },
      ])
        expect(await connected(fields)).toBe("plain text");
      for (const fields of [{ ssl: true }, { sslmode: "require" }, { sslmode: "verify-full" }])
        expect(await connected(fields)).toMatch(
          /the server does not encrypt connections\. .*sslmode=disable/,
        );
    });
  },
);

const withoutMaria = mariaDbMissing ?? lackOfCertificates();
describe.skipIf(withoutMaria)(`a MariaDB that demands TLS${withoutMaria ? `: ${withoutMaria}` : ""}`, () => {
  const folder = useFolder();
  const keys = join(folder, "server.pem");
  let server: MariaDbServer;
  let authority = "";
  let certificates: ReturnType<typeof certificatesFor>;

  beforeAll(async () => {
    chmodSync(folder, 0o755);
    const ours = makeAuthority(folder, "authority");
    authority = readFileSync(ours.path, "utf8");
    certificates = certificatesFor(ours, folder, "DNS:localhost");
    copyFileSync(certificates.good, keys);
    chmodSync(keys, 0o644);
    server = await startMariaDb([`--ssl-cert=${keys}`, `--ssl-key=${keys}`, "--require-secure-transport=ON"]);
    await administer("create user loader identified by 'secret'");
  });
  afterAll(() => server?.stop());

  async function administer(statement: string): Promise<void> {
    const database = await openMysqlDatabase(server.address("mysql"));
    await database.run(statement);
    await database.close();
  }

  async function connected(fields: Fields): Promise<string> {
    const place = { host: "localhost", port: server.port, databaseName: "information_schema" };
    return outcomeOf(jdbc("mysql", place, fields), async (world) => {
      const database = await world.openMysql(databaseAddress("DB", "mysql", world));
      const { rows } = await database.run("show session status like 'Ssl_cipher'");
      await database.close();
      return rows[0]?.Value !== "";
    });
  }

  it.each(
    certificateKinds,
  )("is written or refused for a reason, with a certificate that is %s", async (kind) => {
    writeFileSync(keys, readFileSync(certificates[kind]));
    await administer("flush ssl");
    const refused = kind === "good" ? "encrypted" : refusals[kind];
    const signed = { sslrootcert: authority };
    for (const sslmode of ["allow", "prefer", "require"])
      expect(await connected({ sslmode })).toBe("encrypted");
    expect(await connected({})).toBe("encrypted");
    expect(await connected({ sslmode: "disable" })).toMatch(
      /not encrypted\. If the server demands that, write/,
    );
    for (const sslmode of ["require", "verify-ca"])
      expect(await connected({ ...signed, sslmode })).toMatch(
        kind === "good" || kind === "wrong-name" ? /^encrypted$/ : refused,
      );
    for (const checked of [{ sslmode: "verify-full" }, { ssl: true }, {}])
      expect(await connected({ ...signed, ...checked })).toMatch(refused);
    expect(await connected({ sslmode: "verify-full" })).toMatch(
      kind === "good" ? /unknown authority/ : /certificate/,
    );
  });
});
