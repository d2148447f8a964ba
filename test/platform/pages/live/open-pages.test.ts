import fastify, { type FastifyReply, type FastifyRequest } from "fastify";
import { expect, it } from "vitest";
import type { EventStream } from "../../../../src/platform/http/event-stream.js";
import type { PageLayout } from "../../../../src/platform/pages/layout.js";
import { LivePages } from "../../../../src/platform/pages/live/live-pages.js";

it("the server keeps a few pages of a session open, and no more of a project than its share", async () => {
  const bodies: EventStream["body"][] = [];
  const reply = {
    type: () => reply,
    header: () => reply,
    headers: () => reply,
    send: (body: EventStream["body"]) => bodies.push(body),
  };
  const pages = new LivePages(fastify(), { now: () => 0, timeout: () => new AbortController().signal });
  const open = (session: string, project: string): void => {
    const page = { title: "a", path: "/", body: "", visitor: { sessionId: session, caller: { project } } };
    pages.follow(
      { headers: {} } as unknown as FastifyRequest,
      reply as unknown as FastifyReply,
      page as unknown as PageLayout,
      async () => undefined,
    );
  };
  for (let index = 0; index < 60; index++) open(`session_${index % 5}`, "project_busy");
  const full = "Too many pages are open at once. Close some of them.";
  expect(() => open("session_0", "project_other")).toThrow(full);
  expect(() => open("session_new", "project_busy")).toThrow(full);
  open("session_new", "project_other");
  const closed = new Promise((resolve) => bodies[0]?.once("close", resolve));
  bodies[0]?.destroy();
  await closed;
  open("session_0", "project_busy");
  for (const body of bodies) body.destroy();
});

it("a page is renewed soon even if the clock is set forward while the page is made", async () => {
  let now = 0;
  const waits: number[] = [];
  const world = {
    now: () => now,
    timeout: (milliseconds: number) => {
      waits.push(milliseconds);
      return AbortSignal.timeout(0);
    },
  };
  const pages = new LivePages(fastify(), world);
  const page = { title: "a", path: "/", body: "", visitor: { sessionId: "one" } } as unknown as PageLayout;
  let body: EventStream["body"] | undefined;
  const reply = {
    type: () => reply,
    header: () => reply,
    headers: () => reply,
    send: (sent: EventStream["body"]) => {
      body = sent;
    },
  };
  let renewals = 0;
  const ended = new Promise<void>((resolve) => {
    pages.follow(
      { headers: {} } as unknown as FastifyRequest,
      reply as unknown as FastifyReply,
      page,
      async () => {
        now += 3_600_000;
        if (++renewals < 2) return page;
        resolve();
        return undefined;
      },
    );
  });
  await ended;
  body?.destroy();
  expect(renewals).toBe(2);
  expect(Math.max(...waits)).toBeLessThanOrEqual(30_000);
});
