import { type Html, html } from "../../http/html.js";
import type { SubgraphVersion } from "../../subgraphs/versions.js";

/** The addresses for queries to a version or a tag. */
export interface QueryEndpoints {
  readonly public: string;
  readonly private: string;
}

/** Where and how to query a version or a tag. */
export function connectBox(
  { hasPublicEndpoint, hasPrivateEndpoint }: SubgraphVersion,
  endpoints: QueryEndpoints,
): Html {
  return html`<h2 id="queries">Connect</h2>
<dl><dt>Public</dt><dd>${endpoint(endpoints.public, hasPublicEndpoint)}</dd>
<dt>With an API key</dt><dd>${endpoint(endpoints.private, hasPrivateEndpoint)}</dd></dl>`;
}

/** An endpoint that is off is shown without a link. */
function endpoint(text: string, isOn: boolean): Html {
  return isOn
    ? html`<a class="mono" href="${text}">${text}</a>`
    : html`<span class="mono soft">${text}</span> <span class="soft">(off)</span>`;
}
