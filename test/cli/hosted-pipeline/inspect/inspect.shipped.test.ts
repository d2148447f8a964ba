import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Contract, useAnvil } from "../../../support/chain/anvil.js";
import { deployToken } from "../../../support/chain/erc20.js";
import { describeDatabase } from "../../../support/database/databases.js";
import { testFolder } from "../../../support/folder.js";
import { startPipelineServer } from "../../../support/server/pipeline-server.js";
import type { TestPlatform } from "../../../support/server/platform-server.js";
import { untilHolds } from "../../../support/until.js";
import { hasTerminal } from "../../at-terminal.js";

const main = fileURLToPath(new URL("../../../../dist/cli/main.js", import.meta.url));
const name = "seen";

describeDatabase("stream inspect", false, (databases) => {
  const anvil = useAnvil();
  let server: TestPlatform;
  let token: Contract;
  const running: ReturnType<typeof spawn>[] = [];

  beforeAll(async () => {
    token = await deployToken(anvil(), { name: "T", symbol: "T", decimals: 18, supply: 10n ** 30n });
    server = await startPipelineServer(await databases.fresh(), { nodes: { anvil: anvil().url } });
    const definition = {
      sources: {
        transfers: { type: "dataset", dataset_name: "anvil.erc20_transfers", start_at: "earliest" },
      },
      transforms: {
        large: { sql: "SELECT id, amount FROM transfers WHERE amount > 100", primary_key: "id" },
      },
      sinks: { stored: { type: "blackhole", from: "large" } },
    };
    await server.ask("/pipelines", { method: "POST", body: { name, definition } });
    await untilHolds(async () =>
      expect((await server.ask(`/pipelines/${name}/info`)).json.data.runtime_status).toBe("RUNNING"),
    );
  });
  afterAll(async () => {
    for (const child of running) child.kill("SIGKILL");
    await server?.close();
  });

  const transfer = (amount: number) => anvil().send(token, "transfer", [anvil().account(2), amount]);
  const env = () => ({
    PATH: process.env.PATH ?? "",
    HOME: testFolder(),
    TERM: "xterm",
    GRAPHLOOM_API_URL: server.url,
    GRAPHLOOM_TOKEN: server.token,
  });
  /** Starts a process, and keeps what it prints. */
  const start = (file: string, args: readonly string[]) => {
    const child = spawn(file, args, { env: env(), stdio: ["pipe", "pipe", "pipe"] });
    running.push(child);
    let out = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      out += text;
    });
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
    const shows = (text: string | RegExp) => untilHolds(() => expect(out).toMatch(text));
    return { child, ended, shows, out: () => out, forget: () => (out = "") };
  };

  it("pipeline inspect prints rows as lines of JSON in a pipe", async () => {
    const printed = start(process.execPath, [main, "stream", "inspect", name, "-n", "large,stored"]);
    await printed.shows("connected");
    // The pipeline may compute a row before it hears of the reader, and the supply's row may come first.
    await untilHolds(async () => {
      await transfer(700);
      const lines = printed.out().split("\n").slice(0, -1);
      const rows = lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
      for (const node of ["large", "stored"])
        expect(rows).toContainEqual({ node, op: "i", row: { id: expect.any(String), amount: "700" } });
    });
    printed.child.kill("SIGINT");
    expect(await printed.ended).toBe(130);
  });

  it.runIf(hasTerminal)(
    "pipeline inspect shows a tab for each node in a terminal, which is as before afterwards",
    async () => {
      const inspect = `'${process.execPath}' '${main}' stream inspect ${name}`;
      const line = `stty cols 160 rows 20; ${inspect}; echo "ended $?"; stty -a`;
      const shown = start("/usr/bin/script", ["-qfec", line, "/dev/null"]);
      const type = (text: string): void => void shown.child.stdin?.write(text);
      await shown.shows(/\[1 transfers \(\d+\)\] 2 large/);
      await shown.shows("connected");
      type("2");
      await shown.shows(/\[2 large/);
      await untilHolds(async () => {
        await transfer(901);
        expect(shown.out()).toMatch(/i \{"id":"[^"]+","amount":"901"\}/);
      });
      type("\r");
      await shown.shows(/"amount": "901"/);
      type("qd");
      await shown.shows("SELECT id, amount FROM transfers");
      type("qq");
      await shown.shows(/ended 0[\s\S]*\becho\b/);
      expect(await shown.ended).toBe(0);
      const [view = "", after = ""] = shown.out().split("ended 0");
      expect(view.trimEnd().endsWith("\u001b[?1049l")).toBe(true);
      expect(after).toMatch(/(?<!-)\bicanon\b/);
      expect(after).toMatch(/(?<!-)\becho\b/);
    },
  );

  it.runIf(hasTerminal)("pipeline inspect gives the terminal back when it is killed", async () => {
    const inspect = `sh -c 'echo "process $$"; exec "${process.execPath}" "${main}" stream inspect ${name}'`;
    const shown = start("/usr/bin/script", ["-qfec", `${inspect}; echo "ended $?"; stty -a`, "/dev/null"]);
    await shown.shows("connected");
    const [, id = ""] = /process (\d+)/.exec(shown.out()) ?? [];
    process.kill(Number(id), "SIGTERM");
    await shown.shows(/ended 130[\s\S]*\becho\b/);
    const [view = "", after = ""] = shown.out().split("ended 130");
    expect(view).toContain("\u001b[?1049l");
    expect(after).toMatch(/(?<!-)\bicanon\b/);
  });
});
