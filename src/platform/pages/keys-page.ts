import { type Html, html } from "../http/html.js";
import { type ApiKey, mayActAs, type Role, roles } from "../people/api-keys.js";
import { copiedText } from "./copy-button.js";
import { confirmed, dayOf, wideTable } from "./parts.js";

/** The API keys of a project. A new key is shown once. */
export function keysPage(keys: readonly ApiKey[], role: Role, added?: string): Html {
  const mayChange = mayActAs(role, "Editor");
  return html`${added !== undefined && html`<div class="notice" role="status"><strong>Your new API key. Copy it now: it is not shown again.</strong>${copiedText("new-key", added, "the API key")}</div>`}
${mayChange && newKey(role)}
${wideTable(
  ["Name", "Role", "Created", "Created by", "Last used", "Actions"].map(
    (text) => html`<th scope="col">${text}</th>`,
  ),
  keys.map((key) => rowOf(key, mayChange && mayActAs(role, key.role))),
  "API keys",
)}`;
}

function rowOf(
  { id, name, role, createdAt, lastUsedAt, revokedAt, maker }: ApiKey,
  mayRevoke: boolean,
): Html {
  const ending =
    mayRevoke &&
    confirmed({
      id: `revoke-${id}`,
      word: "Revoke",
      label: `Revoke ${name}`,
      question: "Everything that uses this key stops working at once. You cannot restore a revoked key.",
      action: `/keys/${encodeURIComponent(id)}/revoke`,
    });
  return html`<tr><td>${name}</td><td>${role}</td><td>${dayOf(createdAt)}</td><td>${maker ? html`<span title="${maker.id}">${maker.name}</span>` : html`<span class="soft">the server</span>`}</td><td>${lastUsedAt ? dayOf(lastUsedAt) : "never"}</td>
<td>${revokedAt ? html`<span class="soft">revoked ${dayOf(revokedAt)}</span>` : ending}</td></tr>`;
}

function newKey(own: Role): Html {
  const offered = roles.filter((role) => mayActAs(own, role));
  return html`<form class="line" method="post" action="/keys">
<label>Name <input name="name" required maxlength="80" autocomplete="off"></label>
<label>Role <select name="role">${offered.map((role) => html`<option>${role}</option>`)}</select></label>
<button class="main">Create API key</button></form>`;
}
