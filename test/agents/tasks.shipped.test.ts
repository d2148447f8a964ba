import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openRecording, type RecordedNode, serveRecording } from "../../src/machine/serve-recording.js";
import { killServed, type Served, startServed } from "../cli/serve/served.js";
import { useFolder } from "../support/folder.js";
import { checkTask, prepareTask, taskFolder } from "./runner/prepare-task.js";
import { graphloom } from "./runner/product.js";
import { recordedBlocks } from "./runner/recorded-blocks.mjs";
import { placeWith } from "./runner/services.js";
import type { Place, Task } from "./runner/task.js";
import { tasks } from "./runner/tasks.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const home = useFolder();
const places = useFolder();

let node: RecordedNode;
let served: Served | undefined;

beforeAll(async () => {
  const recording = await openRecording(join(root, "examples/demo/recording.jsonl.gz"));
  node = await serveRecording({ ...recording, history: recordedBlocks }, { now: () => 0 });
  served = await startServed(["--data", join(home, "server"), "--rpc", `sepolia=${node.url}`], home);
});

afterAll(async () => {
  if (served) await killServed(served);
  await node.close();
});

/** Prepares a task in a folder of its own. */
async function prepared(task: Task): Promise<Place> {
  const server =
    served && task.needsServer ? { api: `${served.address}/api/v1`, token: served.token } : undefined;
  const place = placeWith(root, join(places, task.id), { node: node.url, server });
  await prepareTask(task, place);
  return place;
}

/** Applies a solution: its files, and the commands that it lists. */
async function apply(folder: string, place: Place): Promise<void> {
  cpSync(folder, place.work, { recursive: true, filter: (path) => !path.endsWith("commands.json") });
  const commands = join(folder, "commands.json");
  if (!existsSync(commands)) return;
  for (const args of JSON.parse(readFileSync(commands, "utf8")) as readonly (readonly string[])[]) {
    const { code, err } = await graphloom(place, args);
    if (code !== 0) throw new Error(`graphloom ${args.join(" ")} ended with ${code}: ${err}`);
  }
}

/** The folders of a task with wrong solutions. */
function wrongSolutions(task: Task): readonly string[] {
  return readdirSync(taskFolder(root, task)).filter((name) => name.startsWith("wrong-"));
}

describe("the tasks for agents", () => {
  it("are twenty, each with its folder, a prompt and a wrong solution", () => {
    const folders = readdirSync(join(root, "test/agents/tasks")).toSorted();
    expect(folders).toHaveLength(20);
    expect(tasks.map(({ id }) => id).toSorted()).toEqual(folders);
    expect(tasks.filter((task) => wrongSolutions(task).length === 0)).toEqual([]);
  });

  it.concurrent.each(
    tasks,
  )("have checkers that refuse the files of $id and wrong solutions, and accept the right one", async (task) => {
    const place = await prepared(task);
    expect(await checkTask(task, place)).toEqual(expect.any(String));
    for (const name of [...wrongSolutions(task), "solution"]) {
      await apply(join(taskFolder(root, task), name), place);
      const why = await checkTask(task, place);
      expect([name, why]).toEqual([name, name === "solution" ? undefined : expect.any(String)]);
    }
  });
});
