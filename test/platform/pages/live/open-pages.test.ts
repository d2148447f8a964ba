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
