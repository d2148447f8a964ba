import { execFile, execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { graphloom } from "../cli/harness.js";
import { testFolder } from "../support/folder.js";

const folder = fileURLToPath(new URL("../../examples/server/", import.meta.url));
const read = (name: string): string => readFileSync(`${folder}${name}`, "utf8");

/** A JSON list that follows words at the beginning of a line of the Dockerfile. */
function listAfter(words: RegExp): readonly string[] {
  const text = read("Dockerfile").replaceAll("\\\n", " ");
  const found = text.split("\n").find((line) => words.test(line)) ?? "";
  return JSON.parse(found.slice(found.indexOf("[")));
}

/** Has `serve` say what it thinks of a command line, without starting: an unknown option is refused before the wrong port. */
async function expectKnown(words: readonly string[]): Promise<void> {
  const given = words.join(" ").replace(/\$\{\w+:\?\}/g, "http://localhost");
  const { code, err } = await graphloom(testFolder(), `serve ${given} --port 70000`);
  expect([code, err.split("\n")[0]]).toEqual([2, "--port has to be a whole number from 0 to 65535."]);
}

describe("the container", () => {
  it("starts serve with options that there are, and not as root", async () => {
    const [program, command, ...options] = listAfter(/^ENTRYPOINT/);
    expect([program, command]).toEqual(["graphloom", "serve"]);
    await expectKnown([...options, ...listAfter(/^CMD/)]);
    const { command: other } = parse(read("compose.yaml")).services.graphloom;
    await expectKnown([...options, ...other]);
    expect(read("Dockerfile")).toMatch(/^USER node$/m);
    await expect(expectKnown(["--trust-proxies", "127.0.0.1"])).rejects.toThrow();
  });

  it("is healthy when the server is ready, and otherwise not", async () => {
    let status = 200;
    const server = createServer((request, response) => {
      response.statusCode = request.url === "/ready" ? status : 404;
      response.end();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const port = String((server.address() as AddressInfo).port);
    const [program, ...words] = listAfter(/HEALTHCHECK/).map((word) => word.replace("8030", port));
    expect(program).toBe("node");
    const code = (): Promise<number> =>
      new Promise((resolve) => {
        execFile(process.execPath, words, (error) => resolve(Number(error?.code ?? 0)));
      });
    expect(await code()).toBe(0);
    status = 503;
    expect(await code()).toBe(1);
    server.close();
    server.closeAllConnections();
    await once(server, "close");
    expect(await code()).toBe(1);
  });

  it("is composed of services, volumes and networks that there are", () => {
    const { services, volumes, networks } = parse(read("compose.yaml"));
    expect(Object.keys(services)).toEqual(["graphloom", "postgres"]);
    expect(Object.keys(services.graphloom.depends_on)).toEqual(["postgres"]);
    for (const service of Object.values<{ volumes: string[]; networks: string[] }>(services)) {
      for (const volume of service.volumes) expect(volumes).toHaveProperty(volume.split(":")[0] ?? "");
      for (const network of service.networks) expect(networks).toHaveProperty(network);
    }
    const { environment, command, ports } = services.graphloom;
    const { subnet } = networks.inside.ipam.config[0];
    expect(command).toContain(subnet);
    expect(ports).toEqual(["127.0.0.1:8030:8030"]);
    const needed = [...read("compose.yaml").matchAll(/\$\{(\w+):\?\}/g)].map(([, name]) => name);
    expect([...new Set(needed)].filter((name) => !read("README.md").includes(`\n${name}=`))).toEqual([]);
    for (const name of Object.keys(environment))
      expect(name).toMatch(/^GRAPHLOOM_(DATABASE|SECRET_KEY|RPC_MAINNET)$/);
  });
});

describe("the service of systemd", () => {
  it("starts serve with options that there are", async () => {
    const [, words = ""] =
      /^ExecStart=\/usr\/bin\/env graphloom serve (.*)$/m.exec(read("graphloom.service")) ?? [];
    await expectKnown(words.split(" "));
  });

  it.skipIf(!hasSystemd())("has nothing that systemd does not know", () => {
    const words = ["verify", `${folder}graphloom.service`];
    const { status, stderr } = spawnSync("systemd-analyze", words, { encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
  });
});

function hasSystemd(): boolean {
  try {
    execFileSync("systemd-analyze", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
