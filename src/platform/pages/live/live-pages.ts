import { pipeline } from "node:stream";
import { constants, createGzip } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { wait } from "../../../base/turns/wait.js";
import type { World } from "../../../base/world.js";
import type { EventStream } from "../../http/event-stream.js";
import { OpenStreams } from "../../http/limits/open-streams.js";
import { Problem } from "../../problem.js";
import { iconOf } from "../icon.js";
import { contentOf, newsOf, type PageLayout, tabOf, tagOf } from "../layout.js";

/** A new text in relation to an older one: new text, and ranges of the older text that are kept, in UTF-16 units. */
export type TextDelta = readonly (string | readonly [from: number, to: number])[];

/** Shorter lines are sent again, because a reference would be as long. */
const shortest = 16;

/** Milliseconds between two updates of a page, at least. */
const pace = 1_000;
/** An update that takes long is followed by a pause this many times as long, so that open pages leave the server time. */
const rest = 10;
/** The longest pause. A clock that is set forward while a page is made must not stop its updates. */
const longestPause = 30_000;
/**
 * Milliseconds between two keep-alive messages while nothing changes. The script gives up after three missing ones.
 */
const silence = 4_000;
/** The most pages that a session can have open at once. */
const mostOpen = 12;
/** The most pages that the members of a project can have open at once. */
const mostOfProject = 60;

/** The header of the script's requests: the tag of the page that it shows. */
const renewal = "graphloom-renewal";

/** Pages that are open and visible in browsers, and are sent what changes on them as server-sent events. */
export class LivePages {
  readonly #streams: OpenStreams;
  readonly #world: Pick<World, "timeout" | "now">;
  /** By session and by project. */
  readonly #open = new Map<string, number>();

  /** @param app the part of the server with the pages */
  constructor(app: FastifyInstance, world: Pick<World, "timeout" | "now">) {
    this.#streams = new OpenStreams(app);
    this.#world = world;
  }

  /** Whether a request asks for the changes of a page rather than for the page. */
  static isAsked({ method, headers }: FastifyRequest): boolean {
    return (
      method === "GET" &&
      headers[renewal] !== undefined &&
      /\btext\/event-stream\b/.test(headers.accept ?? "")
    );
  }

  /**
   * Answers with events: what changed on a page since the browser received it, and then every change.
   * @param page the current page
   * @param render renders the page again; the response ends when it returns undefined or fails, and the browser's
   *   next request gets the reason
   * @throws Problem `rate-limited` when the session has too many pages open
   */
  follow(
    request: FastifyRequest,
    reply: FastifyReply,
    page: PageLayout,
    render: () => Promise<PageLayout | undefined>,
  ): FastifyReply {
    const session = `session ${page.visitor?.sessionId ?? ""}`;
    const project = page.visitor?.caller && `project ${page.visitor.caller.project}`;
    if (
      this.#countOf(session) >= mostOpen ||
      (project !== undefined && this.#countOf(project) >= mostOfProject)
    )
      throw new Problem("rate-limited", "Too many pages are open at once. Close some of them.", {
        retryAfter: 10,
      });
    const holders = project === undefined ? [session] : [session, project];
    for (const holder of holders) this.#open.set(holder, this.#countOf(holder) + 1);
    const leave = (): void => holders.forEach((holder) => void this.#leave(holder));
    const stream = this.#streams.open(reply, this.#world, leave, silence);
    const shown = String(request.headers[renewal]);
    void this.#send(stream, { page, shown }, render).catch((error: unknown) => {
      if (!(error instanceof Problem)) request.log.error(error);
      stream.end();
    });
    void reply.headers({ "cache-control": "no-store", vary: "accept, accept-encoding" });
    if (!/\bgzip\b/.test(String(request.headers["accept-encoding"]))) return reply.send(stream.body);
    const zipped = createGzip({ flush: constants.Z_SYNC_FLUSH });
    pipeline(stream.body, zipped, () => undefined);
    return reply.header("content-encoding", "gzip").send(zipped);
  }

  async #send(
    stream: EventStream,
    { page: first, shown }: { readonly page: PageLayout; readonly shown: string },
    render: () => Promise<PageLayout | undefined>,
  ): Promise<void> {
    let page: PageLayout | undefined = first;
    let tag = shown;
    // Unknown until something was sent: the browser has the page as a tree, and not as a text.
    let text: string | undefined;
    let pause = pace;
    while (page) {
      const now = tagOf(page);
      if (now !== tag) {
        const content = contentOf(page);
        const update = {
          tag: now,
          tab: tabOf(page),
          icon: iconOf(page.failures ?? 0),
          news: newsOf(page),
          content: text === undefined ? [content] : deltaOf(text, content),
        };
        if (stream.send("update", JSON.stringify(update))) {
          text = content;
          tag = now;
        }
      }
      await wait(pause, this.#world, stream.signal);
      if (stream.signal.aborted) return;
      const began = this.#world.now();
      page = await render();
      pause = Math.min(Math.max(pace, (this.#world.now() - began) * rest), longestPause);
    }
    stream.end();
  }

  #countOf(holder: string): number {
    return this.#open.get(holder) ?? 0;
  }

  #leave(holder: string): void {
    const count = this.#countOf(holder) - 1;
    if (count > 0) this.#open.set(holder, count);
    else this.#open.delete(holder);
  }
}

/** The change from one text to another, line by line. Kept lines may have moved. Takes time linear in both texts. */
export function deltaOf(old: string, fresh: string): TextDelta {
  const known = new Map<string, number>();
  let at = 0;
  for (const line of linesOf(old)) {
    if (!known.has(line)) known.set(line, at);
    at += line.length;
  }
  const parts: (string | [number, number])[] = [];
  for (const line of linesOf(fresh)) {
    const last = parts.at(-1);
    if (Array.isArray(last) && old.startsWith(line, last[1])) {
      last[1] += line.length;
      continue;
    }
    const from = line.length < shortest ? undefined : known.get(line);
    if (from !== undefined) parts.push([from, from + line.length]);
    else if (typeof last === "string") parts[parts.length - 1] = last + line;
    else parts.push(line);
  }
  return parts;
}

/** The lines of a text with their line breaks. */
function linesOf(text: string): readonly string[] {
  return text.split(/(?<=\n)/);
}
