import { type Html, html } from "../../http/html.js";
import type { SubgraphVersion } from "../../subgraphs/versions.js";
import { pageOf } from "../addresses.js";

/**
 * The address of the settings after a tag was changed, where the change can be undone.
 * @param before the version that the tag pointed to; `undefined` for a new tag
 */
export function withUndo(settings: string, tag: string, before: string | undefined): string {
  return `${settings}?${String(new URLSearchParams({ tag, ...(before !== undefined && { before }) }))}`;
}

/**
 * Reports a change of a tag, and offers to undo it. The notice is missing once the tag has changed again, so that an old
 * address cannot undo another change, and if the subgraph has no version to return to.
 * @param all the versions and tags of the subgraph
 * @param query the query of the page, from `withUndo`
 */
export function undoNotice(
  { name, version, target }: SubgraphVersion,
  all: readonly SubgraphVersion[],
  query: URLSearchParams,
): Html | undefined {
  const tag = query.get("tag");
  const before = query.get("before") ?? undefined;
  if (tag === null || target !== undefined) return undefined;
  const isVersion = (one: SubgraphVersion) => one.version === before && one.target === undefined;
  if (before !== undefined && !all.some(isVersion)) return undefined;
  const now = all.find((one) => one.version === tag)?.target;
  const undo = (
    action: string,
    to: string,
    fields: Html,
    happened: Html,
  ) => html`<div class="notice" role="status">${happened}
<form class="line" method="post" action="${pageOf({ name, version: to })}/${action}"><input type="hidden" name="undo" value="1"><input type="hidden" name="tag" value="${tag}">${fields}<button>Undo</button></form></div>`;
  if (now === undefined && before === version)
    return undo("tags", version, html``, html`The tag ${tag} was deleted.`);
  if (now !== version || before === version) return undefined;
  if (before === undefined)
    return undo("untag", version, html``, html`The tag ${tag} was created and points here.`);
  const back = html`<input type="hidden" name="from" value="${version}">`;
  return undo("tags", before, back, html`The tag ${tag} points here now. Before, it pointed to ${before}.`);
}
