import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type PostgresServer,
  postgresMissing,
  startPostgres,
} from "../../support/database/postgres-server.js";
import { testFolder } from "../../support/folder.js";
import { freePorts } from "../../support/servers/java-server.js";
import { killServed, startServed } from "./served.js";

describe.skipIf(postgresMissing !== undefined)("the cluster of hosted sinks", () => {
  let postgres: PostgresServer;
  let address: string;
  beforeAll(async () => {
    const [port = 0] = await freePorts(1);
    postgres = await startPostgres({ listen_addresses: "127.0.0.1", port: String(port) });
    address = `postgres://postgres@127.0.0.1:${port}/postgres`;
  });
  afterAll(() => postgres?.stop());

  it("is refused if it holds the server's own database, unless the operator accepts it", async () => {
    const start = (...options: readonly string[]) =>
      startServed(["--data", "data", "--hosted-sinks", address, ...options], testFolder(), {
        GRAPHLOOM_DATABASE: address.replace("127.0.0.1", "localhost"),
      });
    await expect(start()).rejects.toThrow(
      "can stop the whole server.\nPass the address of another cluster. To accept the risk, add --hosted-sinks-share-cluster.\n",
    );
    await killServed(await start("--hosted-sinks-share-cluster"));
  });
});
