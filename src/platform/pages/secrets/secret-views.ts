import { type SecretType, secretTypeOf, secretTypes } from "../../../api/secret-types.js";
import { type Html, html } from "../../http/html.js";
import type { Secret } from "../../secrets/secrets.js";
import { type FormField, FormState, typedName } from "../form-state.js";
import { confirmed, wideTable } from "../parts.js";
import { pipelinePageOf } from "../pipelines/pipeline-words.js";
import { momentOf } from "../times.js";
import { formFieldsOf, longestDescription, valueFields } from "./secret-fields.js";

export const secretsAddress = "/secrets";
export const newSecretAddress = "/new-secret";
const nameField: FormField = { name: "name", subject: "The name" };
export const descriptionField: FormField = { name: "description", subject: "The description" };

/** The address of the page of a secret. */
export function secretAddress(name: string): string {
  return `${secretsAddress}/${encodeURIComponent(name)}`;
}

/**
 * The secrets of a project, without their values.
 * @param uses the uses of each, by name
 * @param next the last name on this page, after which the next page continues
 */
export function secretList(
  secrets: readonly Secret[],
  uses: ReadonlyMap<string, readonly string[]>,
  {
    mayChange,
    isFirst,
    next,
  }: { readonly mayChange: boolean; readonly isFirst: boolean; readonly next?: string },
): Html {
  const making = mayChange && html`<p><a class="button main" href="${newSecretAddress}">New secret</a></p>`;
  if (secrets.length === 0 && isFirst)
    return html`<p>No secrets yet. A secret holds what a pipeline needs to reach another service, such as the password of a database. Pipelines name it in <code>secret_name</code>. Its value is stored encrypted, and these pages never show it.</p>
${making}
<p>On the command line:</p><pre>graphloom secret create --name POOLS_DB</pre>`;
  const rows = secrets.map(
    ({ name, type, description, createdAt, updatedAt }) => html`<tr>
<th scope="row"><a href="${secretAddress(name)}">${name}</a>${description !== null && html`<br><span class="small soft">${description}</span>`}</th>
<td>${type}</td><td>${users(uses.get(name) ?? [])}</td><td>${momentOf(createdAt)}</td><td>${momentOf(updatedAt)}</td></tr>`,
  );
  const head = [
    ...["Name", "Type", "Used by"].map((text) => html`<th scope="col">${text}</th>`),
    html`<th scope="col">Created</th>`,
    html`<th scope="col">Changed</th>`,
  ];
  return html`${making}${wideTable(head, rows, "Secrets")}
<p class="row">${!isFirst && html`<a href="${secretsAddress}">First secrets</a>`}${next !== undefined && html`<a href="?after=${encodeURIComponent(next)}">More secrets</a>`}</p>`;
}

/** The most users that a row names. */
const mostNamed = 5;

function users(all: readonly string[], most = mostNamed): Html {
  if (all.length === 0) return html`<span class="soft">nothing</span>`;
  const named = all.slice(0, most).map((each, at) => html`${at > 0 && ", "}${userLink(each)}`);
  return html`${named}${all.length > most && ` and ${all.length - most} more`}`;
}

/** Pipelines have a page. */
function userLink(user: string): Html {
  const [, pipeline] = /^the pipeline "([^"]*)"$/.exec(user) ?? [];
  return pipeline === undefined
    ? html`${user}`
    : html`the pipeline <a href="${pipelinePageOf({ name: pipeline })}">${pipeline}</a>`;
}

/** The types of secrets, to choose one. */
export function typeList(): Html {
  const links = secretTypes.map(
    ({ name, meaning }) =>
      html`<dt><a href="${newSecretAddress}?type=${name}">${name}</a></dt><dd>${meaning}</dd>`,
  );
  return html`<p>What does the secret give access to?</p><dl>${links}</dl>`;
}

/** The fields of the form of a new secret. */
export function newSecretFields(type: SecretType): readonly FormField[] {
  return [nameField, descriptionField, ...formFieldsOf(type)];
}

/** The form of a new secret of a type. */
export function newSecretForm(type: SecretType, state = new FormState()): Html {
  const given = (name: string) => html`name="${name}" value="${state.valueOf(name)}"`;
  return html`<form method="post" action="${secretsAddress}" autocomplete="off" class="fields">
<input type="hidden" name="type" value="${type.name}">
<p class="soft">Access to ${type.meaning}. <a href="${newSecretAddress}">Choose another type</a></p>
<p>${state.field("name", html`<label>Name <input ${given("name")} required maxlength="100" size="40" pattern="[A-Za-z0-9_\\-]+" autocomplete="off"${state.attributesOf("name", "name-rule")}></label>`)}
<span class="small soft" id="name-rule">Letters, digits, _ and -, such as POOLS_DB. A pipeline names it in secret_name.</span></p>
<p>${state.field("description", html`<label>Description (optional) <input ${given("description")} maxlength="${longestDescription}" size="40" autocomplete="off"${state.attributesOf("description")}></label>`)}</p>
<h2>Value</h2>
${valueFields(type, state)}
<p><button class="main">Create secret</button></p></form>`;
}

/** A secret with the forms that change it. */
export function secretPage(
  { name, type, description, createdAt, updatedAt }: Secret,
  using: readonly string[],
  mayChange: boolean,
): Html {
  return html`<dl><dt>Type</dt><dd>${type}${meaningOf(type)}</dd>
<dt>Description</dt><dd>${description ?? html`<span class="soft">none</span>`}</dd>
<dt>Used by</dt><dd>${users(using, 100)}</dd>
<dt>Created</dt><dd>${momentOf(createdAt)}</dd>
<dt>Changed</dt><dd>${momentOf(updatedAt)}</dd></dl>
<p class="soft">The value is stored encrypted, and these pages never show it.${mayChange && html` To read it, run <code>graphloom secret reveal ${name}</code>, which the audit log records.`}</p>
${mayChange && changes(name, type, description, using)}`;
}

function meaningOf(type: string): Html | undefined {
  const meaning = secretTypeOf(type)?.meaning;
  return meaning === undefined ? undefined : html` <span class="soft">(${meaning})</span>`;
}

function changes(name: string, type: string, description: string | null, using: readonly string[]): Html {
  const known = secretTypeOf(type);
  return html`${known && html`<h2>New value</h2>\n${newValueForm(name, known)}`}
<h2>Description</h2>
${descriptionForm(name, description)}
<h2>Deletion</h2>
${using.length > 0 ? html`<p class="soft">It is in use, and so cannot be deleted. Delete what uses it first, or make that use a different secret.</p>` : secretDeletion(name)}`;
}

/** The form that replaces the value of a secret. */
export function newValueForm(name: string, type: SecretType, state = new FormState()): Html {
  return html`<details${state.refused && html` open`} class="confirm" id="replace"><summary class="button">Replace the value of ${name}</summary>
<form method="post" action="${secretAddress(name)}/value" autocomplete="off"><p>The old value cannot be read any more. A pipeline that runs uses the new one from its next start on.</p>
${valueFields(type, state)}
<p><button>Replace the value of ${name}</button></p></form></details>`;
}

/** The form that changes the description of a secret. */
export function descriptionForm(name: string, description: string | null, state = new FormState()): Html {
  return html`<form class="line" method="post" action="${secretAddress(name)}/description">
${state.field("description", html`<label>Description <input name="description" value="${state.valueOf("description", description ?? "")}" maxlength="${longestDescription}" size="40" autocomplete="off"${state.attributesOf("description")}></label>`)}
<button>Save description</button></form>`;
}

/** The form that deletes a secret. */
export function secretDeletion(name: string, state = new FormState()): Html {
  return confirmed({
    id: "delete",
    word: "Delete",
    label: `Delete ${name}`,
    question: "Its value is deleted with it. This cannot be undone.",
    action: `${secretAddress(name)}/delete`,
    fields: typedName(name, state),
    isOpen: state.refused !== undefined,
  });
}
