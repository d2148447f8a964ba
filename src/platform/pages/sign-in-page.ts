import { type Html, html } from "./html.js";

/** Asks for a key. @param next where to go afterwards @param problem why an earlier answer was refused */
export function signInPage(next: string, problem?: string): Html {
  return html`${problem !== undefined && html`<p class="notice bad" role="alert">${problem}</p>`}
<form class="line" method="post" action="/sign-in">
<input type="hidden" name="next" value="${next}">
<label>Key of the project <input name="key" type="password" required autocomplete="current-password" size="40" autofocus></label>
<button class="main">Sign in</button></form>
<p class="soft">The server printed a key when it was started for the first time. Those who have one make others under Keys.</p>`;
}

/** Where to go after signing in: a path of this server. */
export function localPath(text: string | undefined): string {
  return text !== undefined && /^\/(?![/\\])/.test(text) ? text : "/";
}
