import { type Problem, problemTypes } from "../problem.js";
import { api, docs, frameOf, navigationOf, subgraphs } from "./frame.js";
import { html } from "./html.js";

/**
 * A refusal as a page, for people who open an address of an API.
 * @param path of the address, without its query
 */
export function problemPage({ type, message }: Problem, path: string): string {
  const { title, status } = problemTypes[type];
  return frameOf({
    title,
    navigation: navigationOf([subgraphs, docs, api], path),
    content: html`
<h1>${title}</h1>
<p>${message}</p>
<p><a href="/api/errors/${type}">What status ${status} means here, and what to do</a></p>
<p><a href="/">Back to the subgraphs</a></p>
`,
  });
}
