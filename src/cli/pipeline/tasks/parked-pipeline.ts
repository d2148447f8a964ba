import { visible } from "../../../base/text/visible.js";
import type { ParkedDocument } from "../../../pipelines/sinks/parking/parked-document.js";
import type { KeyGiven } from "../../../pipelines/tasks/pipeline-task.js";
import { confirm, declined } from "../../subgraph/confirm.js";
import { count } from "../../terminal/count.js";
import { exitCodes } from "../../terminal/exit-codes.js";
import type { Terminal } from "../../terminal/terminal.js";
import { UsageError } from "../../terminal/usage/usage-error.js";
import { atPlace } from "./at-place.js";
import { changeText, type ParkedOutput, printParked } from "./parked-output.js";
import { perform, type TaskArguments, type TaskPlace } from "./task-place.js";

/** Arguments of the commands about parked changes. */
interface ParkedArguments extends TaskArguments {
  readonly sink?: string | undefined;
}

/** Lists what the sinks of a pipeline keep aside; returns the exit code. */
export function listParked(args: ParkedArguments & ParkedOutput, terminal: Terminal): Promise<number> {
  return atSinks(args, terminal, async (place) => {
    const found = await perform(place, { kind: "parked", ...chosen(args) });
    if (typeof found === "number") return found;
    const changes = found.sinks.flatMap(({ sink, first }) => first.map((change) => ({ sink, ...change })));
    await printParked(changes, args, terminal);
    for (const { sink, total, first } of found.sinks)
      if (total > first.length)
        terminal.err(`${visible(sink)}: ${count(total - first.length, "other change")} not listed.\n`);
    return exitCodes.clean;
  });
}

/** Writes parked changes, as far as their sinks take them; returns the exit code. */
export async function retryParkedChanges(
  args: ParkedArguments & { readonly key?: readonly string[] | undefined },
  terminal: Terminal,
): Promise<number> {
  const key = args.key && keyOf(args.key);
  return atSinks(args, terminal, async (place) => {
    const done = await perform(place, { kind: "retry", ...chosen(args), ...(key && { key }) });
    if (typeof done === "number") return done;
    if (done.sinks.length === 0) terminal.out("Nothing is parked.\n");
    for (const one of done.sinks) {
      const rest = one.total === 0 ? "" : `, ${one.total} still parked`;
      const refused = one.first.filter(({ reason }) => reason !== null);
      terminal.out(`${visible(one.sink)}: ${count(one.done, "change")} written${rest}\n`);
      terminal.out(refused.map((change) => `  ${changeText(change)}\n`).join(""));
    }
    return done.sinks.some(({ total }) => total > 0) ? exitCodes.diagnostics : exitCodes.clean;
  });
}

/** Gives the parked changes of a key up, after it has asked; returns the exit code. */
export async function dropParkedChanges(
  args: TaskArguments & {
    readonly sink: string;
    readonly key: readonly string[];
    readonly force: boolean;
  },
  terminal: Terminal,
): Promise<number> {
  const { sink } = args;
  const key = keyOf(args.key);
  return atSinks(args, terminal, async (place) => {
    const found = await perform(place, { kind: "parked", sink });
    if (typeof found === "number") return found;
    const [{ total, first } = { total: 0, first: [] }] = found.sinks;
    const columns = Object.keys(first[0]?.key ?? key);
    if (!Object.keys(key).every((column) => columns.includes(column)))
      throw new UsageError(
        `--key: write <column>=<value>. The key of sink ${visible(sink)} is ${columns.map(visible).join(", ")}.`,
      );
    const changes = first.filter((change) => change.droppedAt === null && hasKey(change, key));
    // A server lists only the first, and the key may be of a later one.
    const isAllListed = total <= first.length;
    if (changes.length === 0 && isAllListed) {
      terminal.err(`Sink ${visible(sink)} has parked nothing with this key.\n`);
      return exitCodes.diagnostics;
    }
    terminal.err(changes.map((change) => `${changeText(change)}\n`).join(""));
    const what = isAllListed ? count(changes.length, "change") : "the changes of this key";
    const whose = isAllListed && changes.length === 1 ? "It is" : "They are";
    const question = `Drop ${what}? ${whose} never written to ${visible(sink)}.`;
    if (!(await confirm(question, args.force, terminal))) return declined(terminal);
    const done = await perform(place, { kind: "drop", sink, key });
    if (typeof done === "number") return done;
    const dropped = done.sinks.reduce((sum, one) => sum + one.done, 0);
    terminal.out(`${visible(sink)}: ${count(dropped, "change")} dropped.\n`);
    return exitCodes.clean;
  });
}

function atSinks(
  args: TaskArguments,
  terminal: Terminal,
  work: (place: TaskPlace) => Promise<number>,
): Promise<number> {
  return atPlace({ args, format: () => "text" }, terminal, work);
}

function chosen({ sink }: ParkedArguments): { readonly sink?: string } {
  return sink === undefined ? {} : { sink };
}

function hasKey(change: ParkedDocument, key: KeyGiven): boolean {
  return Object.entries(key).every(([column, text]) => change.key[column] === text);
}

/** `<column>=<value>`, once for each column of the key. @throws UsageError */
function keyOf(given: readonly string[]): KeyGiven {
  return Object.fromEntries(
    given.map((text) => {
      const [, column = "", value = ""] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
      if (column !== "") return [column, value];
      throw new UsageError("--key: write <column>=<value>.");
    }),
  );
}
