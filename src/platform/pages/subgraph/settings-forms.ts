import { html } from "../../http/html.js";
import type { Platform } from "../../platform.js";
import { Problem } from "../../problem.js";
import { subgraphReferences } from "../../subgraph-references.js";
import { changeSubgraph, removeSubgraph } from "../../subgraphs/change-subgraphs.js";
import { type EntryName, nameIn, requireEntry } from "../../subgraphs/find-subgraph.js";
import { tagSubgraph, untagSubgraph } from "../../subgraphs/tag-subgraphs.js";
import { findVersion } from "../../subgraphs/versions.js";
import { pageOf } from "../addresses.js";
import type { Content } from "../page-scope.js";
import type { TabScope } from "./tab-scope.js";
import { withUndo } from "./undo-tag.js";

/** The most characters of a description. */
export const longestDescription = 2_000;

/** The names of tags, as a pattern for inputs. */
export const tagPattern = "[a-zA-Z0-9][\\w+.\\-]*";

/** Adds the forms of the settings. Each leads back to the settings. */
export function addSettingsForms(tabs: TabScope, platform: Platform): void {
  const { database } = platform;
  tabs.post("description", async ({ caller, form }, named) => {
    const description = (form.get("description") ?? "").replaceAll("\r\n", "\n").trim();
    if (description.length > longestDescription)
      throw new Problem("bad-request", `A description has at most ${longestDescription} characters.`);
    await changeSubgraph(platform, caller, named, { description });
    return settingsOf(named);
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
    const before = await findVersion(database, nameIn(caller, { name, version: tag }));
    const from = await tagSubgraph(platform, caller, { name, tag }, version, (target) => target === seen);
    if (from !== undefined) return moveTag(named, tag, from);
    // An undo itself is not offered to be undone.
    return form.has("undo") ? settingsOf(named) : withUndo(settingsOf(named), tag, before?.target);
  });
  tabs.post("untag", async ({ caller, form }, named) => {
    const tag = tagIn(form);
    await untagSubgraph(platform, caller, { name: named.name, tag }, subgraphReferences);
    return form.has("undo") ? settingsOf(named) : withUndo(settingsOf(named), tag, named.version);
  });
  tabs.post("delete", async ({ caller, form }, named) => {
    const { name, version } = named;
    const full = `${name}/${version}`;
    const { target } = await requireEntry(database, nameIn(caller, named));
    if (form.get("name")?.trim() !== full)
      throw new Problem("bad-request", `Nothing was deleted. To delete ${full}, type its name exactly.`);
    if (target === undefined) await removeSubgraph(platform, caller, named, subgraphReferences);
    else await untagSubgraph(platform, caller, { name, tag: version }, subgraphReferences);
    return "/";
  });
}

function settingsOf(named: EntryName): string {
  return `${pageOf(named)}/settings`;
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
