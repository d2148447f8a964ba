/** A server-sent event. */
export interface ServerEvent {
  /** `message` by default. */
  readonly event: string;
  readonly data: string;
}

/** An event is longer than the limit. */
export class EventTooLong extends Error {
  override readonly name = "EventTooLong";
}

/**
 * Reads server-sent events from pieces of text, as they arrive. An incomplete event at the end is left out.
 * @param most the longest event, in characters
 * @throws EventTooLong
 */
export async function* eventsIn(texts: AsyncIterable<string>, most: number): AsyncGenerator<ServerEvent> {
  let rest = "";
  let event = "";
  let data: string[] = [];
  let length = 0;
  for await (const text of texts) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const [, field = "", value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line.replace(/\r$/, "")) ?? [];
      length += line.length;
      if (length > most) throw tooLong(most);
      if (field === "event") event = value;
      else if (field === "data") data.push(value);
      if (line.replace(/\r$/, "") !== "") continue;
      if (data.length > 0) yield { event: event || "message", data: data.join("\n") };
      [event, data, length] = ["", [], 0];
    }
    if (rest.length + length > most) throw tooLong(most);
  }
}

function tooLong(most: number): EventTooLong {
  return new EventTooLong(`an event is longer than ${most / 1_048_576} MiB`);
}
