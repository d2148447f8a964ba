import { expect, it } from "vitest";
import { EventTooLong, eventsIn, type ServerEvent } from "../../../src/web/http/open-events.js";

async function eventsOf(pieces: readonly string[], most = 1_000): Promise<readonly ServerEvent[]> {
  async function* texts(): AsyncGenerator<string> {
    yield* pieces;
  }
  const events: ServerEvent[] = [];
  for await (const event of eventsIn(texts(), most)) events.push(event);
  return events;
}

it("the reader reads events in pieces of any size, with comments and both kinds of line ends", async () => {
  const text = ':\n\nevent: row\ndata: {"a":1}\n\nid: 7\r\ndata:one\r\ndata: two\r\n\r\ndata: cut off';
  const expected = [
    { event: "row", data: '{"a":1}' },
    { event: "message", data: "one\ntwo" },
  ];
  expect(await eventsOf([text])).toEqual(expected);
  expect(await eventsOf([...text])).toEqual(expected);
});

it("the reader refuses events that have no end", async () => {
  await expect(eventsOf(["data: ", "x".repeat(2_000)])).rejects.toThrow(EventTooLong);
  await expect(eventsOf(Array.from({ length: 300 }, () => "data: x\n"))).rejects.toThrow(EventTooLong);
});
