import { setMaxListeners } from "node:events";
import { pipeline } from "node:stream";
import { constants, createGzip } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { reportFailure } from "../../../base/failures.js";
import { inBackground } from "../../../base/turns/guarded.js";
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
/** The most pages that a browser can name in a request. It says which ones have no room. */
export const mostShown = 24;
/** The most pages that the members of a project can have open at once. */
const mostOfProject = 60;

/** The header of the script's requests: the tag of the page that it shows. */
const renewal = "graphloom-renewal";

/** Makes a page again; `undefined` if its visitor may no longer see it. */
export type Render = () => Promise<PageLayout | undefined>;

/** A page that a browser shows, among others in the same answer. */
export interface ShownPage {
  /** The browser's name for it. */
  readonly id: string;
  /** The tag of what it shows. */
  readonly tag: string;
  readonly render: Render;
}

/** What changed on a page. */
interface Update {
  readonly tag: string;
  readonly tab: string;
  readonly icon: string;
  readonly news: string;
  readonly content: TextDelta;
}

/** Where the updates of one page go. */
interface PageOutlet {
  /** Aborted when the browser has left. */
  readonly signal: AbortSignal;
  /** @returns false if the update is dropped */
  send(update: Update): boolean;
}

/** Pages that are open and visible in browsers, and are sent what changes on them as server-sent events. */
export class LivePages {
  readonly #streams: OpenStreams;
  readonly #world: Pick<World, "timeout" | "now">;
  /** The number of open pages, by session and by project. */
  readonly #counts = new Map<string, number>();
  /** What ends the answer to all pages of a browser. */
  readonly #shared = new Map<string, () => void>();

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
  follow(request: FastifyRequest, reply: FastifyReply, page: PageLayout, render: Render): FastifyReply {
    const holders = this.#enter(page);
    const stream = this.#open(reply, () => this.#leaveAll(holders));
    const shown = String(request.headers[renewal]);
    const outlet = {
      signal: stream.signal,
      send: (update: Update) => stream.send("update", JSON.stringify(update)),
    };
    void this.#send(outlet, { page, shown }, render)
      .catch((error: unknown) => report(request, error))
      .finally(() => stream.end());
    return this.#reply(request, reply, stream);
  }

  /**
   * Answers with the events of several pages, so that a browser needs one connection for all of them. A page that its visitor
   * may not see, that does not renew itself, or for which there is no room gets the event `end`. The browser then opens it
   * by itself and gets the reason.
   * @param browser its name. Its earlier answer ends, so that its pages are not counted twice
   */
  followAll(
    request: FastifyRequest,
    reply: FastifyReply,
    browser: string,
    pages: readonly ShownPage[],
  ): FastifyReply {
    this.#shared.get(browser)?.();
    const entered = new Set<readonly string[]>();
    const leave = (holders: readonly string[]): void => {
      if (entered.delete(holders)) this.#leaveAll(holders);
    };
    const end = (): void => {
      if (this.#shared.get(browser) === end) this.#shared.delete(browser);
      for (const holders of entered) leave(holders);
      stream.end();
    };
    const stream = this.#open(reply, end);
    this.#shared.set(browser, end);
    const { signal } = stream;
    // Every page waits for it.
    setMaxListeners(0, signal);
    const isOver = (): boolean => signal.aborted || this.#shared.get(browser) !== end;
    const followOne = async ({ id, tag, render }: ShownPage, earlier: Promise<unknown>): Promise<void> => {
      const [first] = await Promise.all([render(), earlier]);
      if (!first?.isLive || isOver()) return finish(id);
      const holders = this.#enter(first);
      entered.add(holders);
      const send = (update: Update): boolean =>
        stream.send("update", JSON.stringify({ page: id, ...update }));
      const again = async (): Promise<PageLayout | undefined> => (isOver() ? undefined : render());
      const follow = async (): Promise<void> => {
        try {
          await this.#send({ signal, send }, { page: first, shown: tag }, again);
        } catch (error) {
          report(request, error);
        } finally {
          leave(holders);
          finish(id);
        }
      };
      inBackground(follow(), reportFailure);
    };
    let left = pages.length;
    const finish = (id: string): void => {
      stream.send("end", JSON.stringify({ page: id }));
      left -= 1;
      if (left === 0) end();
    };
    if (left === 0) end();
    // In their order: if there is no room for all, it is the last one that is refused, not one that was renewed before.
    let earlier: Promise<unknown> = Promise.resolve();
    for (const page of pages) {
      earlier = followOne(page, earlier).catch((error: unknown) => {
        report(request, error);
        finish(page.id);
      });
    }
    return this.#reply(request, reply, stream);
  }

  /** Counts a page. @returns what `#leaveAll` takes @throws Problem if there is no room */
  #enter({ visitor }: PageLayout): readonly string[] {
    const session = `session ${visitor?.sessionId ?? ""}`;
    const project = visitor?.caller && `project ${visitor.caller.project}`;
    if (
      this.#countOf(session) >= mostOpen ||
      (project !== undefined && this.#countOf(project) >= mostOfProject)
    )
      throw new Problem("rate-limited", "Too many pages are open at once. Close some of them.", {
        retryAfter: 10,
      });
    const holders = project === undefined ? [session] : [session, project];
    for (const holder of holders) this.#counts.set(holder, this.#countOf(holder) + 1);
    return holders;
  }

  #open(reply: FastifyReply, onGone: () => void): EventStream {
    return this.#streams.open(reply, this.#world, onGone, silence);
  }

  #reply({ headers }: FastifyRequest, reply: FastifyReply, { body }: EventStream): FastifyReply {
    void reply.headers({ "cache-control": "no-store", vary: "accept, accept-encoding" });
    if (!/\bgzip\b/.test(String(headers["accept-encoding"]))) return reply.send(body);
    const zipped = createGzip({ flush: constants.Z_SYNC_FLUSH });
    pipeline(body, zipped, () => undefined);
    return reply.header("content-encoding", "gzip").send(zipped);
  }

  async #send(
    { signal, send }: PageOutlet,
    { page: first, shown }: { readonly page: PageLayout; readonly shown: string },
    render: Render,
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
        if (send(update)) {
          text = content;
          tag = now;
        }
      }
      await wait(pause, this.#world, signal);
      if (signal.aborted) return;
      const began = this.#world.now();
      page = await render();
      pause = Math.min(Math.max(pace, (this.#world.now() - began) * rest), longestPause);
    }
  }

  #countOf(holder: string): number {
    return this.#counts.get(holder) ?? 0;
  }

  #leaveAll(holders: readonly string[]): void {
    for (const holder of holders) {
      const count = this.#countOf(holder) - 1;
      if (count > 0) this.#counts.set(holder, count);
      else this.#counts.delete(holder);
    }
  }
}

/** Logs a failure that is not the visitor's. */
function report(request: FastifyRequest, error: unknown): void {
  if (!(error instanceof Problem)) request.log.error(error);
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
