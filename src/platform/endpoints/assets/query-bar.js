// Says above GraphiQL how long a query took and where its answer came from, and keeps the query and its variables in the
// address, so that a link or a bookmark has all of it. It becomes part of the page's script.

/** What `cache-status` says, in words. */
const sources = [
  [/;\s*hit\b/, "from the cache"],
  [/;\s*collapsed\b/, "shared with an identical query"],
  [/;\s*fwd=/, "from the database"],
];

/**
 * Starts the bar.
 * @param options of GraphiQL
 * @returns the options with what the bar needs
 */
globalThis.startQueryBar = (options) => {
  const outcome = document.querySelector("[data-outcome]");
  const endpoint = new URL(options.endpoint ?? location.pathname, location.href).href;
  const send = globalThis.fetch;
  globalThis.fetch = async (...request) => {
    if (!isQuery(request, endpoint)) return send(...request);
    const began = performance.now();
    const answer = await send(...request);
    const source = answer.headers.get("cache-status") ?? "";
    const [, words] = sources.find(([form]) => form.test(source)) ?? [];
    const took = `${Math.max(1, Math.round(performance.now() - began)).toLocaleString("en-US")} ms`;
    outcome.textContent = words ? `${took}, ${words}` : took;
    return answer;
  };
  addCopyButton();
  mendTabs();
  const shown = new URL(location.href).searchParams;
  return {
    ...options,
    ...(shown.has("variables") && { initialVariables: shown.get("variables") }),
    onEditQuery: (text) => keep("query", text),
    onEditVariables: (text) => keep("variables", text),
  };
};

/** Whether a request is a query of the reader. GraphiQL itself asks for the schema. */
function isQuery([address, { method, body } = {}], endpoint) {
  if (new URL(address, location.href).href !== endpoint || method !== "POST") return false;
  return typeof body === "string" && !body.includes("IntrospectionQuery");
}

/**
 * GraphiQL's tabs hold buttons, which screen readers do not find in a tab. They become a list of buttons, of which one is
 * current.
 */
function mendTabs() {
  const mend = () => {
    globalThis.themeEditors();
    for (const list of document.querySelectorAll("#root [role=tablist]")) list.removeAttribute("role");
    for (const tab of document.querySelectorAll("#root li[role=tab]")) tab.removeAttribute("role");
    for (const tab of document.querySelectorAll("#root li.graphiql-tab")) {
      tab.removeAttribute("aria-selected");
      const isShown = tab.classList.contains("graphiql-tab-active");
      const button = tab.querySelector("button");
      if (button && button.ariaCurrent !== String(isShown)) button.ariaCurrent = String(isShown);
    }
    for (const panel of document.querySelectorAll("#root [role=tabpanel]"))
      panel.setAttribute("role", "region");
    for (const field of document.querySelectorAll(
      ".graphiql-explorer-root :is(input[type=text], select):not([aria-label])",
    )) {
      // Its class names the argument.
      const argument = field
        .closest("[class^=graphiql-explorer-]")
        .className.replace("graphiql-explorer-", "");
      field.ariaLabel = field.closest("form") ? "Kind of operation" : argument;
    }
  };
  const root = document.querySelector("#root");
  new MutationObserver(mend).observe(root, {
    ...{ childList: true, subtree: true, attributes: true },
    attributeFilter: ["role", "aria-selected", "class"],
  });
}

function keep(name, text) {
  const address = new URL(location.href);
  if (text) address.searchParams.set(name, text);
  else address.searchParams.delete(name);
  history.replaceState({}, "", address);
}

function addCopyButton() {
  const button = document.querySelector("[data-copy-link]");
  // Browsers offer the clipboard only to pages that came over https or from this machine.
  if (!navigator.clipboard) return;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(location.href);
    button.textContent = "Copied";
    setTimeout(() => {
      button.textContent = "Copy link";
    }, 2_000);
  });
}
