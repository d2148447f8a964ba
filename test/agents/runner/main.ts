import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { checkTask, prepareTask, promptOf } from "./prepare-task.js";
import { mainFile, serviceVariables } from "./product.js";
import { placeWith, type Services, startServices, stopServices } from "./services.js";
import type { Place, Task } from "./task.js";
import { tasks } from "./tasks.js";

const usage = `npm run agents -- --list                        list the tasks
npm run agents -- --task <id> --folder <dir>    prepare a task, and print its prompt
npm run agents -- --check --folder <dir>        check what the agent has done
npm run agents -- --stop --folder <dir>         end what runs for the task
`;

/** What is kept between preparing and checking. */
interface State extends Services {
  readonly task: string;
}

/** Runs a command. @param root the folder of graphloom @returns the exit code: 1 if the task is not solved */
export async function runAgents(root: string, args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      list: { type: "boolean" },
      task: { type: "string" },
      folder: { type: "string" },
      check: { type: "boolean" },
      stop: { type: "boolean" },
    },
  });
  if (values.list === true) return list(root);
  const folder = values.folder === undefined ? undefined : resolve(values.folder);
  if (folder !== undefined && values.check === true) return check(root, folder);
  if (folder !== undefined && values.stop === true) return stop(folder);
  if (folder !== undefined && values.task !== undefined) return prepare(root, folder, values.task);
  process.stderr.write(usage);
  return 2;
}

function list(root: string): number {
  for (const task of tasks) process.stdout.write(`${task.id.padEnd(20)}${firstLine(promptOf(root, task))}\n`);
  return 0;
}

function firstLine(text: string): string {
  const [line = ""] = text.split("\n");
  return line.length > 90 ? `${line.slice(0, 89)}…` : line;
}

async function prepare(root: string, folder: string, id: string): Promise<number> {
  const task = taskNamed(id);
  if (existsSync(folder) && readdirSync(folder).length > 0) throw new Error(`${folder} is not empty`);
  const services = await startServices(root, join(folder, "hidden"), task.needsServer === true);
  const place = placeWith(root, folder, services);
  try {
    await prepareTask(task, place);
  } catch (error) {
    stopServices(services);
    throw error;
  }
  mkdirSync(folder, { recursive: true });
  const state: State = { task: id, ...services };
  writeFileSync(stateFile(folder), `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
  writeFileSync(join(folder, "mcp.json"), `${JSON.stringify(mcpSettings(place), null, 2)}\n`, {
    mode: 0o600,
  });
  process.stderr.write(`The agent works in ${place.work}. Its tools are in ${join(folder, "mcp.json")}.\n\n`);
  process.stdout.write(promptOf(root, task));
  return 0;
}

/** Settings that give an agent the tools, in the form that most agents read. */
function mcpSettings(place: Place): object {
  const { root, work, server } = place;
  const own = {
    command: process.execPath,
    args: [mainFile(root), "mcp"],
    cwd: work,
    env: serviceVariables(place),
  };
  const hosted = server && {
    type: "http",
    url: new URL("/mcp", server.api).href,
    headers: { Authorization: `Bearer ${server.token}` },
  };
  return { mcpServers: { graphloom: own, ...(hosted && { "graphloom-server": hosted }) } };
}

async function check(root: string, folder: string): Promise<number> {
  const state = readState(folder);
  const why = await checkTask(taskNamed(state.task), placeWith(root, folder, state));
  process.stdout.write(why === undefined ? `${state.task}: solved\n` : `${state.task}: not solved: ${why}\n`);
  return why === undefined ? 0 : 1;
}

function stop(folder: string): number {
  stopServices(readState(folder));
  return 0;
}

function readState(folder: string): State {
  if (!existsSync(stateFile(folder))) throw new Error(`no task was prepared in ${folder}`);
  return JSON.parse(readFileSync(stateFile(folder), "utf8")) as State;
}

function stateFile(folder: string): string {
  return join(folder, "hidden/state.json");
}

function taskNamed(id: string): Task {
  const task = tasks.find((one) => one.id === id);
  if (!task) throw new Error(`there is no task ${id}; --list lists all`);
  return task;
}
