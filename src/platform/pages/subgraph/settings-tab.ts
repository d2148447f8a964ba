import { type Html, html, linesOf } from "../../http/html.js";
import type { Platform } from "../../platform.js";
import { listVersionsOf } from "../../subgraphs/read-subgraphs.js";
import { lostSource, type SubgraphVersion } from "../../subgraphs/versions.js";
import { pageOf } from "../addresses.js";
import type { Draft } from "../draft.js";
import { confirmed, wideTable } from "../parts.js";
import { addSettingsForms, longestDescription, tagPattern } from "./settings-forms.js";
import type { TabScope } from "./tab-scope.js";
import { undoNotice } from "./undo-tag.js";

/** Adds the tab with the settings of a version or a tag, and the forms that change them. */
export function addSettingsTab(tabs: TabScope, platform: Platform, draft?: Draft): void {
  tabs.get("settings", "", async ({ entry, base, mayChange, caller, query }) => {
    const all = await listVersionsOf(platform, caller, entry.name);
    const tags = all.filter(({ target }) => target !== undefined);
    if (!mayChange) return { body: readOnly(entry, tags) };
    const lost = draft ? [] : await lostSource(platform.database, entry);
    return {
      body: html`${undoNotice(entry, all, query)}
${descriptionForm(entry, base)}
${endpointForm(entry, base)}
${!draft && entry.target === undefined && tagSection(entry, base, tags)}
${entry.target === undefined && rewindForm(base)}
${!draft && deletion(entry, base, lost)}`,
    };
  });
  addSettingsForms(tabs, platform);
}

function readOnly(
  { description, hasPublicEndpoint, hasPrivateEndpoint, version }: SubgraphVersion,
  tags: readonly SubgraphVersion[],
): Html {
  const own = tags.filter(({ target }) => target === version).map((tag) => tag.version);
  const word = (isOn: boolean) => (isOn ? "on" : "off");
  return html`<dl><dt>Description</dt><dd>${description ?? "none"}</dd>
<dt>Public endpoint</dt><dd>${word(hasPublicEndpoint)}</dd>
<dt>Endpoint with an API key</dt><dd>${word(hasPrivateEndpoint)}</dd>
<dt>Tags</dt><dd>${own.join(", ") || "none"}</dd></dl>
<p class="soft">To change the settings, you need the role Editor or higher.</p>`;
}

function descriptionForm({ description }: SubgraphVersion, base: string): Html {
  return html`<h2 id="description">Description</h2>
<form method="post" action="${base}/description"><textarea name="description" rows="3" maxlength="${longestDescription}" aria-label="Description">${linesOf(description ?? "")}</textarea>
<button>Save description</button></form>`;
}

function endpointForm(entry: SubgraphVersion, base: string): Html {
  const box = (name: string, text: string, isOn: boolean): Html =>
    html`<label class="box"><input type="checkbox" name="${name}"${isOn && html` checked`}> ${text}</label>`;
  return html`<h2 id="endpoints">Endpoints</h2>
<form class="line" method="post" action="${base}/endpoints">
${box("public", "Public", entry.hasPublicEndpoint)}
${box("private", "With an API key", entry.hasPrivateEndpoint)}
<button>Save endpoints</button></form>`;
}

function tagSection({ version }: SubgraphVersion, base: string, tags: readonly SubgraphVersion[]): Html {
  const rows = tags.map((tag) => {
    const isOwn = tag.target === version;
    const action = isOwn
      ? confirmed({
          id: `untag-${tag.version}`,
          word: "Delete",
          label: `Delete the tag ${tag.version}`,
          question: "Its addresses stop answering at once.",
          action: `${base}/untag`,
          fields: html`<input type="hidden" name="tag" value="${tag.version}">`,
        })
      : html`<form method="post" action="${base}/tags"><input type="hidden" name="tag" value="${tag.version}"><button class="plain" aria-label="Point ${tag.version} here">Point here</button></form>`;
    return html`<tr><td><a href="${pageOf(tag)}">${tag.version}</a></td><td>${isOwn ? "this version" : html`<a href="${pageOf({ ...tag, version: tag.target ?? "" })}">${tag.target}</a>`}</td><td>${action}</td></tr>`;
  });
  const head = ["Tag", "Points to", "Actions"].map((text) => html`<th scope="col">${text}</th>`);
  return html`<h2 id="tags">Tags</h2>
${rows.length > 0 && wideTable(head, rows, "Tags")}
<form class="line" method="post" action="${base}/tags">
<label>New tag <input name="tag" required pattern="${tagPattern}" maxlength="100" autocomplete="off"></label>
<button>Point this tag here</button></form>`;
}

/** Asks for the block to go back to. The page that follows says what happens, and asks again. */
function rewindForm(base: string): Html {
  return html`<h2 id="rewind">Rewind</h2>
<p>Take it back to a block. It indexes the blocks after that again.</p>
<form class="line" method="post" action="${base}/rewind">
<label>Block <input name="block" type="number" min="0" max="2147483647" step="1" required autocomplete="off"></label>
<button>Say what happens</button></form>`;
}

/**
 * Deletes a version or a tag once its name was typed. Works without a script.
 * @param warnings what that does to other subgraphs
 */
function deletion(
  { name, version, target }: SubgraphVersion,
  base: string,
  warnings: readonly string[],
): Html {
  const full = `${name}/${version}`;
  const consequence =
    target === undefined
      ? "Its endpoints stop answering, and its data is deleted unless another version has the same deployment. This cannot be undone."
      : `Its addresses stop answering. The version ${target} stays.`;
  return html`<h2 id="deletion">Deletion</h2>
<details class="confirm" id="delete"><summary class="button">Delete ${full}</summary>
<form method="post" action="${base}/delete"><p>${consequence}</p>
${warnings.map((warning) => html`<p class="warn">${warning}</p>`)}
<label><span>Type <strong>${full}</strong> to confirm</span> <input name="name" required autocomplete="off"></label>
<p><button class="danger">Delete ${full}</button></p></form></details>`;
}
