import { execFile, execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { graphloom } from "../cli/harness.js";
import { testFolder } from "../support/folder.js";

const folder = fileURLToPath(new URL("../../examples/server/", import.meta.url));
const read = (name: string): string => readFileSync(`${folder}${name}`, "utf8");

/** The JSON list that follows given words at the start of a line of the Dockerfile. */
function listAfter(words: RegExp): readonly string[] {
  const text = read("Dockerfile").replaceAll("\\\n", " ");
  const found = text.split("\n").find((line) => words.test(line)) ?? "";
  return JSON.parse(found.slice(found.indexOf("[")));
}

/** Lets `serve` check a command line without starting: it refuses an unknown option before the wrong port. */
async function expectKnown(words: readonly string[]): Promise<void> {
  const given = words.join(" ").replace(/\$\{\w+:\?\}/g, "http://localhost");
  const { code, err } = await graphloom(testFolder(), `serve ${given} --port 70000`);
  expect([code, err.split("\n")[0]]).toEqual([2, "--port must be a whole number from 0 to 65535."]);
}

describe("the container", () => {
  it("starts serve with existing options, and not as root", async () => {
    const [program, command, ...options] = listAfter(/^ENTRYPOINT/);
    expect([program, command]).toEqual(["graphloom", "serve"]);
    await expectKnown([...options, ...listAfter(/^CMD/)]);
    const { command: other } = parse(read("compose.yaml")).services.graphloom;
    await expectKnown([...options, ...other]);
    expect(read("Dockerfile")).toMatch(/^USER node$/m);
    await expect(expectKnown(["--trust-proxies", "127.0.0.1"])).rejects.toThrow();
  });

  it("is healthy exactly when the server is ready", async () => {
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

  it("refers only to services, volumes and networks that it defines", () => {
    const { services, volumes, networks } = parse(read("compose.yaml"));
    expect(Object.keys(services)).toEqual(["graphloom", "postgres", "sinks"]);
    expect(Object.keys(services.graphloom.depends_on)).toEqual(["postgres", "sinks"]);
    for (const service of Object.values<{ volumes: string[]; networks: string[] }>(services)) {
      for (const volume of service.volumes) {
        const [source = ""] = volume.split(":");
        if (source.startsWith("./")) expect(existsSync(`${folder}${source}`)).toBe(true);
        else expect(volumes).toHaveProperty(source);
      }
      for (const network of service.networks) expect(networks).toHaveProperty(network);
    }
    const { environment, command, ports } = services.graphloom;
    const { subnet } = networks.inside.ipam.config[0];
    expect(command).toContain(`--trust-proxy=${subnet}`);
    expect(command).toContain("--reachable=sinks:5432");
    const { postgres, sinks } = services;
    expect(environment.GRAPHLOOM_DATABASE).toContain("@postgres/");
    expect(environment.GRAPHLOOM_HOSTED_SINKS).toContain("@sinks/");
    expect(postgres.networks).not.toContain("sinks");
    expect(sinks.networks).toEqual(["sinks"]);
    expect(ports).toEqual(["127.0.0.1:8030:8030"]);
    const needed = [...read("compose.yaml").matchAll(/\$\{(\w+):\?\}/g)].map(([, name]) => name);
    expect([...new Set(needed)].filter((name) => !read("README.md").includes(`\n${name}=`))).toEqual([]);
    for (const name of Object.keys(environment))
      expect(name).toMatch(/^GRAPHLOOM_(DATABASE|HOSTED_SINKS|SECRET_KEY|RPC_MAINNET)$/);
  });
});

describe("the systemd service", () => {
  it("starts serve with existing options", async () => {
    const [, words = ""] =
      /^ExecStart=\/usr\/bin\/env graphloom serve (.*)$/m.exec(read("graphloom.service")) ?? [];
    await expectKnown(words.split(" "));
  });

  it("has working commands for setup, backup and restore", () => {
    const place = testFolder();
    // The home folder that systemd sets for a service with a dedicated user.
    mkdirSync(`${place}/var/lib/private/graphloom`, { recursive: true });
    symlinkSync("private/graphloom", `${place}/var/lib/graphloom`);
    const kept = `${place}/var/lib/graphloom/secret-key`;
    const run = (about: string): void => {
      const [block] = read("README.md").match(new RegExp(`(?<=\n\`\`\`sh\n)[^\`]*${about}[^\`]*`)) ?? [];
      const own = (block ?? "")
        .replace(/^(?:systemctl|npm|cp) .*$/gm, "")
        .replaceAll(/\/(?:etc|var)\//g, `${place}$&`);
      expect(own).toContain(about);
      execFileSync("sh", ["-e", "-c", own], { cwd: place });
    };
    run("install -D");
    const environment = `${place}/etc/graphloom/environment`;
    expect(readFileSync(environment, "utf8")).toMatch(/^GRAPHLOOM_RPC_MAINNET=https:/);
    expect(statSync(environment).mode & 0o777).toBe(0o600);
    writeFileSync(kept, "before");
    run("tar --create");
    writeFileSync(kept, "after");
    writeFileSync(`${kept}-2`, "after");
    run("tar --extract");
    expect(readFileSync(kept, "utf8")).toBe("before");
    expect(existsSync(`${kept}-2`)).toBe(false);
  });

  it.skipIf(!has("systemd-analyze", "--version"))("has only settings that systemd knows", () => {
    const words = ["verify", `${folder}graphloom.service`];
    const { status, stderr } = spawnSync("systemd-analyze", words, { encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
  });

  it.skipIf(!has("systemd-analyze", "--version") || !has("strace", "-c", "true"))(
    "permits the system calls that Node makes",
    () => {
      const summary = `${testFolder()}/calls`;
      const program =
        "new (require('worker_threads').Worker)('0', { eval: true }); require('net').createServer().listen(0).unref()";
      execFileSync("strace", ["-f", "-c", "-U", "name", "-o", summary, process.execPath, "-e", program]);
      const made = readFileSync(summary, "utf8").match(/^\w+$/gm) ?? [];
      const calls = made.filter((name) => !["syscall", "total"].includes(name));
      expect(calls).toContain("execve");
      const [, filter = ""] = /^SystemCallFilter=(.*)$/m.exec(read("graphloom.service")) ?? [];
      const allowed = new Set(["@default", ...filter.split(" ")].flatMap(callsIn(systemCallGroups())));
      expect(calls.filter((name) => !allowed.has(name))).toEqual([]);
    },
  );
});

/** Groups of system calls by name, with their members: calls, and names of other groups. */
function systemCallGroups(): ReadonlyMap<string, readonly string[]> {
  const text = execFileSync("systemd-analyze", ["syscall-filter"], { encoding: "utf8", stdio: "pipe" });
  const groups = text.split("\n\n").map((block) => {
    const words = block.split("\n").map((line) => line.trim());
    const [name = "", ...members] = words.filter((line) => /^@?[\w-]+$/.test(line));
    return [name, members] as const;
  });
  return new Map(groups);
}

/** Returns a function that expands the name of a call or a group to calls. */
function callsIn(groups: ReadonlyMap<string, readonly string[]>): (name: string) => readonly string[] {
  const calls = (name: string): readonly string[] => (groups.get(name) ?? []).flatMap(calls).concat(name);
  return calls;
}

/** Whether a program is installed and works. */
function has(program: string, ...words: readonly string[]): boolean {
  return spawnSync(program, words, { stdio: "ignore" }).status === 0;
}
