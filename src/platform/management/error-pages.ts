import type { FastifyReply } from "fastify";
import type { Routes } from "../http/app.js";
import { api, docs, frameOf, navigationOf, policyOf, subgraphs } from "../http/frame.js";
import { escapeHtml, Html, html } from "../http/html.js";
import { problemHelp } from "../http/problem-help.js";
import { Problem, type ProblemType, problemTypes } from "../problem.js";

/** The pages that the types of problems link to, and their index. */
export const errorPages: Routes = (app) => {
  const config = { role: "anyone" } as const;
  app.get("/api/errors", { config }, (_, reply) => sendPage(reply, "What the API refuses and why", index()));
  app.get<{ Params: { slug: string } }>("/api/errors/:slug", { config }, ({ params: { slug } }, reply) => {
    const type = types().find((each) => each === slug);
    if (!type)
      throw new Problem("not-found", "There is no such problem type. See /api/errors for all types.");
    return sendPage(reply, problemTypes[type].title, explanation(type));
  });
};

function types(): readonly ProblemType[] {
  return Object.keys(problemTypes) as ProblemType[];
}

function index(): string {
  const rows = types().map((type) => {
    const { status, title } = problemTypes[type];
    const link = `<a href="/api/errors/${escapeHtml(type)}">${escapeHtml(title)}</a>`;
    return `<tr><td>${status}</td><td>${link}</td><td><code>${escapeHtml(type)}</code></td></tr>`;
  });
  return `<p>Each refusal is a document of the media type <code>application/problem+json</code>. Its <code>type</code> is the
address of a page that says what to do. Titles and details are written for people and may change. The
<code>type</code> does not change.</p>
<table><thead><tr><th>Status</th><th>Title</th><th>Type ends with</th></tr></thead>
<tbody>${rows.join("\n")}</tbody></table>`;
}

function explanation(type: ProblemType): string {
  const { meaning, remedy } = problemHelp[type];
  return `<p>Status ${problemTypes[type].status}, <code>${escapeHtml(type)}</code></p>
<h2>What it means</h2><p>${escapeHtml(meaning)}</p>
<h2>What to do</h2><p>${escapeHtml(remedy)}</p>
<p><a href="/api/errors">All types</a> · <a href="/docs">Documentation</a></p>`;
}

function sendPage(reply: FastifyReply, title: string, body: string): FastifyReply {
  const path = reply.request.url.split("?")[0] ?? "";
  const isIndex = path === "/api/errors";
  return reply
    .type("text/html; charset=utf-8")
    .header("content-security-policy", policyOf())
    .send(
      frameOf({
        title,
        navigation: navigationOf([subgraphs, docs, api], path),
        content: html`
${!isIndex && html`<nav aria-label="Breadcrumb"><ol class="way"><li><a href="/api/errors">Problems</a></li></ol></nav>`}
<h1>${title}</h1>
<div class="manual">${new Html(body)}</div>
`,
      }),
    );
}
