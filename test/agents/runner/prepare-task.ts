import { cpSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Place, type Task, Unsolved } from "./task.js";

/** The folder with the data of a task. */
export function taskFolder(root: string, { id }: Task): string {
  return join(root, "test/agents/tasks", id);
}

/** What the agent is asked to do. */
export function promptOf(root: string, task: Task): string {
  return readFileSync(join(taskFolder(root, task), "prompt.md"), "utf8");
}

/** Puts the files of a task into its folders, and does what it needs besides. @throws Error if something fails */
export async function prepareTask(task: Task, place: Place): Promise<void> {
  for (const folder of [place.work, place.hidden]) mkdirSync(folder, { recursive: true });
  const start = join(taskFolder(place.root, task), "start");
  if (existsSync(start)) cpSync(start, place.work, { recursive: true });
  for (const abi of task.abis ?? [])
    cpSync(join(place.root, `examples/demo/abis/${abi}.json`), join(place.work, `abis/${abi}.json`));
  await task.prepare?.(place);
}

/** Decides whether a task is solved. @returns why it is not solved, or undefined if it is */
export async function checkTask(task: Task, place: Place): Promise<string | undefined> {
  try {
    return await task.check(place);
  } catch (error) {
    if (error instanceof Unsolved) return error.message;
    throw error;
  }
}
