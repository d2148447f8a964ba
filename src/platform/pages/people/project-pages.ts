import { doerOf } from "../../http/doer-of.js";
import { type Html, html } from "../../http/html.js";
import { mayActAs } from "../../people/api-keys.js";
import { leaveProject } from "../../people/manage-members.js";
import { beginProject, changeProjectName } from "../../people/manage-projects.js";
import type { Membership } from "../../people/members.js";
import { readName } from "../../people/names.js";
import { showProject } from "../../people/sign-in/sessions.js";
import type { Platform } from "../../platform.js";
import { Problem } from "../../problem.js";
import type { PageScope } from "../page-scope.js";
import { confirmed, wideTable } from "../parts.js";
import type { Visitor } from "../sign-in/session.js";

const address = "/projects";

/** Adds the page of projects, to select, create, rename and leave them. */
export function addProjectPages(pages: PageScope, { database }: Platform): void {
  pages.signedIn(address, async ({ visitor }) => ({ title: "Projects", body: projectsPage(visitor) }));

  pages.signedInPost(address, async ({ visitor, form, request }) => {
    if (!visitor.session)
      throw new Problem(
        "forbidden",
        "An API key belongs to one project. Create an account before you create projects.",
      );
    const { user, id } = visitor.session;
    const made = await beginProject(database, user, nameIn(form), request.ip);
    await showProject(database, id, made.id);
    return "/";
  });

  pages.signedInPost(`${address}/:id/show`, async ({ visitor, path }) => {
    const wanted = visitor.projects.find(({ id }) => id === path.id);
    if (!wanted)
      throw new Problem("project-not-found", "The project does not exist, or you are not a member of it.");
    if (visitor.session) await showProject(database, visitor.session.id, wanted.id);
    return "/";
  });

  pages.post(`${address}/name`, "Editor", async ({ form, request }) => {
    await changeProjectName(database, doerOf(request), nameIn(form));
    return address;
  });

  pages.post(`${address}/leave`, "Viewer", async ({ request }) => {
    await leaveProject(database, doerOf(request));
    return address;
  });
}

function projectsPage({ session, caller, projects }: Visitor): Html {
  const shown = projects.find(({ id }) => id === caller?.project);
  const rows = projects.map(
    ({ id, name, role }) => html`<tr><td>${name}</td><td>${role}</td><td class="cell">${id}</td>
<td>${id === shown?.id ? html`<span class="soft">selected</span>` : html`<form method="post" action="${address}/${encodeURIComponent(id)}/show"><button class="plain" aria-label="Select ${name}">Select</button></form>`}</td></tr>`,
  );
  const head = ["Name", "Your role", "ID", "Actions"].map((text) => html`<th scope="col">${text}</th>`);
  return html`${projects.length === 0 ? html`<p>You do not belong to a project yet. Create one, or ask someone to invite you.</p>` : wideTable(head, rows, "Projects")}
${shown && caller && changing(shown, caller.kind === "user")}
${session && making}`;
}

function changing({ name, role }: Membership, isPerson: boolean): Html {
  return html`${
    mayActAs(role, "Editor") &&
    html`<h2>Rename ${name}</h2>
<form class="line" method="post" action="${address}/name">
<label>Name <input name="name" required maxlength="80" value="${name}" autocomplete="off"></label><button>Rename</button></form>`
  }
${
  isPerson &&
  html`<h2>Leave ${name}</h2>
${confirmed({
  id: "leave",
  word: "Leave",
  label: `Leave ${name}`,
  question: "To come back, you need a new invitation. The project's API keys that you created are revoked.",
  action: `${address}/leave`,
})}`
}`;
}

const making = html`<h2>New project</h2>
<form class="line" method="post" action="${address}">
<label>Name <input name="name" required maxlength="80" autocomplete="off"></label><button class="main">Create project</button></form>`;

function nameIn(form: URLSearchParams): string {
  const name = readName(form.get("name") ?? "");
  if (name === undefined) throw new Problem("bad-request", "Give the project a name of up to 80 characters.");
  return name;
}
