import { type Html, html } from "../../http/html.js";
import type { Platform } from "../../platform.js";
import { Problem } from "../../problem.js";
import { changeSubgraph } from "../../subgraphs/change-subgraphs.js";
import type { EntryName } from "../../subgraphs/find-subgraph.js";
import { tagSubgraph } from "../../subgraphs/tag-subgraphs.js";
import type { SubgraphVersion } from "../../subgraphs/versions.js";
import { pageOf } from "../addresses.js";
import type { Content } from "../page-scope.js";
import type { TabScope } from "./tab-scope.js";

/** Adds the tab with the settings of a version or a tag, and the forms that change them. */
export function addSettingsTab(tabs: TabScope, platform: Platform): void {
  tabs.get("settings", "", async ({ entry, base, mayChange }) => {
    if (!mayChange) return { body: html`<p class="soft">Only Editors can change the settings.</p>` };
    return { body: html`${endpointForm(entry, base)}${entry.target === undefined && tagForm(base)}` };
  });
  tabs.post("endpoints", async ({ caller, form }, named) => {
    await changeSubgraph(platform, caller, named, {
      hasPublicEndpoint: form.has("public"),
      hasPrivateEndpoint: form.has("private"),
    });
    return settingsOf(named);
  });
  tabs.post("tags", async ({ caller, form }, named) => {
    const { name, version } = named;
    const tag = tagIn(form);
    const seen = form.get("from");
    const from = await tagSubgraph(platform, caller, { name, tag }, version, (target) => target === seen);
    return from === undefined ? settingsOf(named) : moveTag(named, tag, from);
  });
}

function settingsOf(named: EntryName): string {
  return `${pageOf(named)}/settings`;
}

function endpointForm(entry: SubgraphVersion, base: string): Html {
  const box = (name: string, text: string, isOn: boolean): Html =>
    html`<label class="box"><input type="checkbox" name="${name}"${isOn && html` checked`}> ${text}</label>`;
  return html`<h2 id="endpoints">Endpoints</h2>
<form class="line" method="post" action="${base}/endpoints">
${box("public", "Public", entry.hasPublicEndpoint)}
${box("private", "With an API key", entry.hasPrivateEndpoint)}
<button>Save</button></form>`;
}

function tagForm(base: string): Html {
  return html`<h2 id="tags">Tags</h2><form class="line" method="post" action="${base}/tags">
<label>Tag <input name="tag" required pattern="[a-zA-Z0-9][\\w+.\\-]*" maxlength="100" autocomplete="off"></label>
<button>Point this tag here</button></form>`;
}

function tagIn(form: URLSearchParams): string {
  const tag = form.get("tag") ?? "";
  if (/^[a-zA-Z0-9][\w+.-]*$/.test(tag)) return tag;
  throw new Problem(
    "bad-request",
    "A tag may contain letters, digits and + . - _, and must start with a letter or a digit.",
  );
}

/** Asks for confirmation before a tag moves, because its queries then get different answers. */
function moveTag(entry: EntryName, tag: string, target: string): Content {
  const own = pageOf(entry);
  return {
    title: `Move the tag ${tag}?`,
    trail: [
      ["Subgraphs", "/"],
      [`${entry.name}/${entry.version}`, own],
      ["Settings", settingsOf(entry)],
    ],
    body: html`<p>${entry.name}/${tag} currently points to ${target}. Once you move it, ${entry.version} answers its queries.</p>
<form class="line" method="post" action="${own}/tags"><input type="hidden" name="tag" value="${tag}"><input type="hidden" name="from" value="${target}">
<button class="main">Move ${tag} to ${entry.version}</button></form>
<p><a href="${settingsOf(entry)}">Leave it where it is</a></p>`,
  };
}
