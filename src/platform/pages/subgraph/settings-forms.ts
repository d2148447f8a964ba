import { html } from "../../http/html.js";
import { goneOf } from "../../http/limits/gone-of.js";
import type { Platform } from "../../platform.js";
import { Problem } from "../../problem.js";
import { planRewind, type RewindPlan, rewindSubgraph } from "../../rewind/rewind-subgraph.js";
import { subgraphReferences } from "../../subgraph-references.js";
import { changeSubgraph, removeSubgraph } from "../../subgraphs/change-subgraphs.js";
import { type EntryName, nameIn, requireEntry } from "../../subgraphs/find-subgraph.js";
import { queryAddresses } from "../../subgraphs/query-addresses.js";
import { tagSubgraph, untagSubgraph } from "../../subgraphs/tag-subgraphs.js";
import { findVersion, type SubgraphVersion } from "../../subgraphs/versions.js";
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
    const entry = await requireEntry(database, nameIn(caller, named));
    const ending = endpointKinds.filter((kind) => isOn(entry, kind) && !form.has(kind));
    const isAgreed = ending.every((kind) => form.getAll("off").includes(kind));
    if (!isAgreed) return switchOff(entry, ending, queryAddresses(entry, platform.settings.address()));
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
  tabs.post("rewind", async ({ caller, form, request }, named) => {
    const asked = { number: blockIn(form), hash: form.get("hash") ?? undefined };
    if (!form.has("agreed"))
      return rewindPage(await planRewind(platform, caller, named, asked, goneOf(request)));
    await rewindSubgraph(platform, caller, named, asked);
    return pageOf(named);
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

function blockIn(form: URLSearchParams): number {
  const block = Number((form.get("block") ?? "").trim() || Number.NaN);
  if (Number.isInteger(block) && block >= 0 && block <= 2_147_483_647) return block;
  throw new Problem("bad-request", "A block is a whole number from 0 on.");
}

/** Says what a rewind does, and asks for confirmation. */
function rewindPage({ entry, to, effects }: RewindPlan): Content {
  const own = pageOf(entry);
  return {
    title: `Rewind ${entry.name}/${entry.version} to block ${to.number}?`,
    trail: settingsTrail(entry),
    body: html`<ul>${effects.map((effect) => html`<li>${effect}</li>`)}</ul>
<form class="line" method="post" action="${own}/rewind"><input type="hidden" name="block" value="${to.number}"><input type="hidden" name="hash" value="${to.hash}"><input type="hidden" name="agreed" value="yes">
<button class="danger">Rewind to block ${to.number}</button></form>
<p><a href="${settingsOf(entry)}">Leave it as it is</a></p>`,
  };
}

const endpointKinds = ["public", "private"] as const;
type EndpointKind = (typeof endpointKinds)[number];

function isOn({ hasPublicEndpoint, hasPrivateEndpoint }: SubgraphVersion, kind: EndpointKind): boolean {
  return kind === "public" ? hasPublicEndpoint : hasPrivateEndpoint;
}

/** Asks for confirmation before endpoints are switched off, because programs may use their addresses. */
function switchOff(
  entry: SubgraphVersion,
  ending: readonly EndpointKind[],
  addresses: Readonly<Record<EndpointKind, string>>,
): Content {
  const full = `${entry.name}/${entry.version}`;
  const own = pageOf(entry);
  const what = `the ${ending.join(" and the ")} ${ending.length === 1 ? "endpoint" : "endpoints"}`;
  const kept = endpointKinds.filter((kind) => isOn(entry, kind) && !ending.includes(kind));
  return {
    title: `Switch off ${what} of ${full}?`,
    trail: settingsTrail(entry),
    body: html`<p>Queries are refused from then on at:</p>
<ul>${ending.map((kind) => html`<li class="mono">${addresses[kind]}</li>`)}</ul>
<form class="line" method="post" action="${own}/endpoints">${kept.map((kind) => html`<input type="hidden" name="${kind}" value="on">`)}
${ending.map((kind) => html`<input type="hidden" name="off" value="${kind}">`)}
<button class="danger">Switch off ${what}</button></form>
<p><a href="${settingsOf(entry)}">Leave ${ending.length === 1 ? "it" : "them"} on</a></p>`,
  };
}

function settingsTrail(entry: EntryName): NonNullable<Content["trail"]> {
  return [
    ["Subgraphs", "/"],
    [`${entry.name}/${entry.version}`, pageOf(entry)],
    ["Settings", settingsOf(entry)],
  ];
}

/** Asks for confirmation before a tag moves, because its queries then get different answers. */
function moveTag(entry: EntryName, tag: string, target: string): Content {
  const own = pageOf(entry);
  return {
    title: `Move the tag ${tag}?`,
    trail: settingsTrail(entry),
    body: html`<p>${entry.name}/${tag} currently points to ${target}. Once you move it, ${entry.version} answers its queries.</p>
<form class="line" method="post" action="${own}/tags"><input type="hidden" name="tag" value="${tag}"><input type="hidden" name="from" value="${target}">
<button class="main">Move ${tag} to ${entry.version}</button></form>
<p><a href="${settingsOf(entry)}">Leave it where it is</a></p>`,
  };
}
