import { expect, it } from "vitest";
import type { SinkChange } from "../../../src/base/sink-change.js";
import { type ChangeChoice, settleSinks } from "../../../src/cli/hosted-pipeline/apply-pipeline.js";
import { memoryTerminal } from "../memory-terminal.js";

const base = {
  type: "postgres",
  reasons: [],
  reset: "its rows are deleted",
  recreate: "its table is made again",
  otherwise: null,
};
const goesOn: SinkChange = { ...base, sink: "on", change: "continues", reasons: ["the query of large"] };
const cannot: SinkChange = { ...base, sink: "off", change: "resets", reasons: ["its key (a, before b)"] };
const others: readonly SinkChange[] = [
  { ...base, sink: "alike", change: "same" },
  { ...base, sink: "fresh", change: "new" },
  { ...base, sink: "old", change: "gone" },
  { ...base, sink: "away", change: "unknown", reasons: ["it does not answer"] },
];

async function settled(
  sinks: readonly SinkChange[],
  choice: ChangeChoice = {},
  answer?: string,
): Promise<{ readonly sent: unknown; readonly out: string; readonly asked: readonly string[] }> {
  const asked: string[] = [];
  const ask = async (question: string): Promise<string> => {
    asked.push(question);
    return answer ?? "";
  };
  const terminal = { ...memoryTerminal(), ...(answer !== undefined && { ask }) };
  const sent = await settleSinks("p", { text: "" }, choice, { compare: async () => sinks }, terminal);
  return { sent, out: terminal.said(), asked };
}

it("pipeline apply lets sinks continue without a question, and says so", async () => {
  const { sent, out } = await settled([goesOn, ...others]);
  expect(sent).toEqual({});
  expect(out).toBe(`Sink on goes on (the query of large); rows that it has stay as they are
Sink fresh has no rows yet
Sink old is not written any more; what it holds stays
Sink away cannot be compared: it does not answer
`);
});

it("pipeline apply asks before it empties a sink that cannot continue", async () => {
  const yes = await settled([goesOn, cannot], {}, "y");
  expect(yes.sent).toEqual({ on_change: "settle" });
  expect(yes.out).toContain("Sink off starts over (its key (a, before b)): its rows are deleted\n");
  expect(yes.asked).toEqual(["Start over with off? [y/N] "]);
  expect((await settled([cannot], {}, "n")).sent).toBeUndefined();
  expect((await settled([cannot], { force: true })).sent).toEqual({ on_change: "settle" });
  await expect(settled([cannot])).rejects.toThrow('I cannot ask: "Start over with off?"');
});

it("pipeline apply empties all changed sinks on request, unless one cannot be emptied", async () => {
  const all = await settled([goesOn, cannot], { recreate: true }, "y");
  expect([all.sent, all.asked]).toEqual([{ on_change: "recreate" }, ["Start over with on, off? [y/N] "]]);
  expect(all.out).toContain("Sink on starts over (the query of large): its table is made again\n");
  const fixed: SinkChange = { ...cannot, reset: null, otherwise: "Give it another place" };
  await expect(settled([fixed], { reset: true }, "y")).rejects.toThrow("off: cannot start over like this.");
});

it("pipeline apply does not ask if the user said where sinks begin", async () => {
  expect(await settled([cannot], { fromSnapshot: "none" })).toMatchObject({ sent: {}, out: "" });
});
