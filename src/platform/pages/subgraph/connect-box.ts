import { type Html, html } from "../../http/html.js";
import type { SubgraphVersion } from "../../subgraphs/versions.js";
import { copiedText, copyButton } from "../copy-button.js";

/** The addresses for queries to a version or a tag. */
export interface QueryEndpoints {
  readonly public: string;
  readonly private: string;
}

/** The addresses of pages that the box leads to. */
export interface ConnectLinks {
  readonly settings: string;
  /** Absent on a server without sign-in, which has no keys. */
  readonly keys: string | undefined;
}

/** The query of the examples, which every subgraph answers. */
const query = "{ _meta { block { number } } }";

/** Where to query a version or a tag, with examples. */
export function connectBox(
  { hasPublicEndpoint, hasPrivateEndpoint }: SubgraphVersion,
  endpoints: QueryEndpoints,
  { settings, keys }: ConnectLinks,
): Html {
  const isOn = hasPublicEndpoint || hasPrivateEndpoint;
  const examples = hasPublicEndpoint
    ? examplesFor(endpoints.public, false)
    : examplesFor(endpoints.private, true, keys);
  return html`<section class="connect" aria-labelledby="connect"><h2 id="connect">Connect</h2>
<dl><dt>Public</dt><dd>${endpoint("public", endpoints.public, hasPublicEndpoint)}</dd>
<dt>With an API key</dt><dd>${endpoint("private", endpoints.private, hasPrivateEndpoint)}</dd></dl>
${isOn ? examples : html`<p class="soft">Both endpoints are off. Turn one on in the <a href="${settings}">settings</a>.</p>`}</section>`;
}

/** An endpoint that is off is shown without a link. */
function endpoint(id: string, text: string, isOn: boolean): Html {
  return isOn
    ? html`<a class="mono" id="address-${id}" href="${text}">${text}</a> ${copyButton(`address-${id}`, `the ${id} address`)}`
    : html`<span class="mono soft">${text}</span> <span class="soft">(off)</span>`;
}

function examplesFor(address: string, needsKey: boolean, keys?: string): Html {
  const key = needsKey ? "authorization: Bearer $KEY" : undefined;
  const curl = `curl ${address} \\
  -H 'content-type: application/json' \\
${key === undefined ? "" : `  -H "${key}" \\\n`}  -d '${JSON.stringify({ query })}'`;
  const headers = [
    '"content-type": "application/json"',
    ...(needsKey ? ['"authorization": "Bearer " + key'] : []),
  ];
  const fetched = `${needsKey ? 'const key = "gl_…";\n' : ""}const answer = await fetch("${address}", {
  method: "POST",
  headers: { ${headers.join(", ")} },
  body: JSON.stringify({ query: "${query}" }),
});
const { data, errors } = await answer.json();`;
  return html`${needsKey && html`<p class="small">Send an API key in the header <code>authorization</code>, as <code>Bearer &lt;key&gt;</code>. A key with the role Viewer is enough.${keys !== undefined && html` Create one under <a href="${keys}">API keys</a>.`}</p>`}
${example("curl", curl)}
${example("fetch", fetched)}`;
}

function example(name: string, text: string): Html {
  return html`<details id="example-${name}"><summary>${name}</summary>
${copiedText(`code-${name}`, text, `the example for ${name}`)}</details>`;
}
