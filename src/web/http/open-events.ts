import type { World } from "../../base/world.js";
import { parseAddress } from "./address.js";
import { HttpError } from "./http-error.js";
import type { HttpAnswer, HttpRequest } from "./http-request.js";
import { openStream } from "./open-stream.js";

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

/** Limit of an event, in characters. */
const longestEvent = 16 * 1_048_576;

/** A server's answer to a request for events. */
export type EventsAnswer =
  /** Iterating throws HttpError when the connection is lost. */
  | { readonly kind: "events"; readonly events: AsyncGenerator<ServerEvent> }
  /** Another status than 200, or another media type. */
  | { readonly kind: "other"; readonly answer: HttpAnswer };

/**
 * Asks a server for server-sent events, once.
 * @param signal ends the exchange
 * @throws HttpError when there is no response
 */
export async function openEvents(
  request: HttpRequest,
  world: World,
  signal: AbortSignal,
): Promise<EventsAnswer> {
  const opened = await openStream(request, world, "text/event-stream", signal);
  if (opened.kind === "other") return opened;
  return { kind: "events", events: events(opened.pieces, parseAddress(request.url)?.origin ?? "") };
}

async function* events(pieces: AsyncIterable<Uint8Array>, origin: string): AsyncGenerator<ServerEvent> {
  async function* texts(): AsyncGenerator<string> {
    const decoder = new TextDecoder();
    for await (const piece of pieces) yield decoder.decode(piece, { stream: true });
  }
  try {
    yield* eventsIn(texts(), longestEvent);
  } catch (error) {
    if (!(error instanceof EventTooLong)) throw error;
    const reason = error.message;
    throw new HttpError("too-large", { message: `${origin}: ${reason}`, reason }, false, error);
  }
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
