import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkSecretValue } from "../../../src/api/secret-types.js";
import { openClickHouse } from "../../../src/pipelines/machine/clickhouse/open-clickhouse.js";
import { clickHouseAddress } from "../../../src/pipelines/sinks/clickhouse/clickhouse-address.js";
import { ClickHouseError } from "../../../src/pipelines/sinks/clickhouse-server.js";
import { postSearch } from "../../../src/pipelines/sinks/elasticsearch/search-request.js";
import { readSearchServer } from "../../../src/pipelines/sinks/elasticsearch/search-secret.js";
import { kafkaAddress } from "../../../src/pipelines/sinks/kafka/kafka-secret.js";
import { KafkaError } from "../../../src/pipelines/sinks/kafka-client.js";
import { readS3Key } from "../../../src/pipelines/sinks/s3/s3-secret.js";
import { SinkError } from "../../../src/pipelines/state/sink-error.js";
import { useFolder } from "../../support/folder.js";
import { testBucket, testOutgoing } from "../../support/pipelines/opened-s3.js";
import {
  certificateKinds,
  certificatesFor,
  lackOfCertificates,
  makeAuthority,
} from "../../support/servers/certificates.js";
import {
  type ClickHouseServer,
  lackOfClickHouse,
  startClickHouse,
} from "../../support/servers/clickhouse.js";
import { type KafkaServer, startKafka } from "../../support/servers/kafka.js";
import { kafkaMissing, openTestKafka } from "../../support/servers/kafka-client.js";
import { type S3Server, s3Missing, startS3 } from "../../support/servers/s3.js";
import { startTlsProxy, type TlsProxy } from "../../support/servers/tls-proxy.js";

type Fields = Readonly<Record<string, unknown>>;
type Kind = (typeof certificateKinds)[number];
const noCertificates = lackOfCertificates();

/** How a server is reached whose certificate is of some kind. @returns `connected`, or why not */
type Connect = (kind: Kind, fields: Fields) => Promise<string>;

const refusals: Readonly<Record<Exclude<Kind, "good">, RegExp>> = {
  "self-signed":
    /^for good: .*certificate.* is self-signed\. To trust it, put it in sslrootcert of the secret\./,
  expired: /^for good: .*certificate.* has expired\. Renew the server's certificate\./,
  "wrong-name":
    /^for good: .*certificate.* is for other\.example, and not for 127\.0\.0\.1\. Connect to a name/,
};

async function outcome(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
    return "connected";
  } catch (error) {
    const isKnown =
      error instanceof SinkError || error instanceof KafkaError || error instanceof ClickHouseError;
    if (!isKnown) throw error;
    return `${error.isTemporary ? "for now" : "for good"}: ${error.message}`;
  }
}

/** The value of a secret as a server would store it. */
function secret(value: Fields): string {
  expect(checkSecretValue(value)).toEqual([]);
  return JSON.stringify(value);
}

/** What every server with a certificate must do. */
function expectChecks(connect: Connect, authority: () => string): void {
  it.each(
    certificateKinds,
  )("TLS is used or refused for a reason, with a certificate that is %s", async (kind) => {
    const signed = { sslrootcert: authority() };
    const refused = kind === "good" ? /^connected$/ : refusals[kind];
    expect(await connect(kind, { sslmode: "require" })).toBe("connected");
    for (const sslmode of ["require", "verify-ca"])
      expect(await connect(kind, { ...signed, sslmode })).toMatch(
        kind === "good" || kind === "wrong-name" ? /^connected$/ : refused,
      );
    for (const fields of [{ sslmode: "verify-full" }, {}])
      expect(await connect(kind, { ...signed, ...fields })).toMatch(refused);
    const unknown =
      kind === "self-signed" || kind === "expired"
        ? refused
        : /^for good: .*certificate.* comes from an unknown authority\. To trust it, put the authority's certificate in sslrootcert of the secret\. Its field "sslmode": "require" encrypts without checking/;
    expect(await connect(kind, {})).toMatch(unknown);
    expect(await connect(kind, { sslrootcert: "system" })).toMatch(unknown);
  });

  it("a server is not contacted if a secret contradicts itself", async () => {
    await expect(connect("good", { sslmode: "verify-ca" })).resolves.toMatch(/needs sslrootcert/);
  });
}

describe.skipIf(noCertificates)(`over TLS${noCertificates ? `: ${noCertificates}` : ""}`, () => {
  const folder = useFolder();
  let authority = "";
  let certificates: ReturnType<typeof certificatesFor>;
  const opened: TlsProxy[] = [];
  beforeAll(() => {
    const ours = makeAuthority(folder, "authority");
    authority = readFileSync(ours.path, "utf8");
    certificates = certificatesFor(ours, folder, "IP:127.0.0.1");
  });
  afterAll(async () => {
    for (const proxy of opened) await proxy.stop();
  });

  const proxies = new Map<string, Promise<TlsProxy>>();
  /** The port of a server of TLS in front of another. */
  async function secured(kind: Kind, port: number): Promise<number> {
    const key = `${kind} ${port}`;
    const started = proxies.get(key) ?? startTlsProxy(certificates[kind], port);
    if (!proxies.has(key)) void started.then((proxy) => opened.push(proxy));
    proxies.set(key, started);
    return (await started).port;
  }

  const noClickHouse = lackOfClickHouse();
  describe.skipIf(noClickHouse)(`ClickHouse${noClickHouse ? `: ${noClickHouse}` : ""}`, () => {
    let server: ClickHouseServer;
    beforeAll(async () => {
      server = await startClickHouse(folder);
    });
    afterAll(() => server?.stop());

    expectChecks(
      async (kind, fields) => {
        const { url: plain, username, password } = server.address;
        const url = `https://127.0.0.1:${await secured(kind, Number(new URL(plain).port))}`;
        return outcome(async () => {
          const address = clickHouseAddress(
            secret({ type: "clickHouse", url, username, password, databaseName: "default", ...fields }),
          );
          if (!address) throw new Error("no address");
          const open = await openClickHouse(address);
          try {
            expect(await open.query("select 1 as one")).toEqual([{ one: 1 }]);
            await open.run("create table if not exists tls (a UInt8) engine = Memory");
          } finally {
            await open.close();
          }
        });
      },
      () => authority,
    );
  });

  describe.skipIf(s3Missing)(`a bucket${s3Missing ? `: ${s3Missing}` : ""}`, () => {
    let server: S3Server;
    beforeAll(async () => {
      server = await startS3();
      server.makeBucket("tls");
    });
    afterAll(() => server?.stop());

    expectChecks(
      async (kind, fields) => {
        const url = `https://127.0.0.1:${await secured(kind, Number(new URL(server.url).port))}`;
        const { id, secret: own } = server.key;
        return outcome(async () => {
          const value = { type: "s3", accessKeyId: id, secretAccessKey: own, region: "us-east-1", ...fields };
          const key = readS3Key(secret(value));
          if (!key) throw new Error("no key");
          await testBucket({ url, bucket: "tls", keyId: id, secret: own }, { key }).list("");
        });
      },
      () => authority,
    );
  });

  describe("a search server", () => {
    const server = createServer((request, response) => request.resume().on("end", () => response.end("{}")));
    beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
    afterAll(() => server.close());

    expectChecks(
      async (kind, fields) => {
        const host = `https://127.0.0.1:${await secured(kind, (server.address() as AddressInfo).port)}`;
        return outcome(async () => {
          const value = { type: "elasticSearch", host, username: "u", password: "p", ...fields };
          const search = readSearchServer(secret(value));
          if (!search) throw new Error("no server");
          const asked = { server: search, index: "a", outgoing: testOutgoing, clock: { now: () => 0 } };
          const reply = await postSearch(asked, "/_bulk", "application/json", "{}");
          if (reply.kind === "failed") throw new SinkError(`The server ${reply.why}.`, reply.isTemporary);
        });
      },
      () => authority,
    );
  });

  describe.skipIf(kafkaMissing)(`Kafka${kafkaMissing ? `: ${kafkaMissing}` : ""}`, () => {
    let server: KafkaServer;
    beforeAll(async () => {
      server = await startKafka({ certificates: certificateKinds.map((kind) => certificates[kind]) });
    });
    afterAll(() => server?.stop());

    expectChecks(
      async (kind, fields) => {
        const bootstrapServers = server.others[certificateKinds.indexOf(kind)];
        return outcome(async () => {
          const value = { type: "kafka", bootstrapServers, securityProtocol: "SSL", ...fields };
          const kafka = await openTestKafka(await kafkaAddress("K", secret(value)));
          try {
            await kafka.topic("absent");
          } finally {
            await kafka.close();
          }
        });
      },
      () => authority,
    );
  });
});
