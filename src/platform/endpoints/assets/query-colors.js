// Gives GraphiQL and its editors the colors of all pages, light and dark. Both keep their colors as numbers, which cannot
// refer to those of the style sheet. It becomes part of the page's script.

const schemes = ["light", "dark"];
/** The colors of GraphiQL, by those of all pages. */
const named = {
  ...{ base: "card", neutral: "text", primary: "accent", secondary: "accent", tertiary: "good" },
  ...{ info: "accent", success: "good", warning: "warn", error: "bad" },
};
/** What has these colors in GraphiQL. */
const parts =
  ".graphiql-container, .graphiql-dialog, .graphiql-dialog-overlay, .graphiql-tooltip, [data-radix-popper-content-wrapper]";

/** Reads the colors of all pages, each as red, green and blue of 255. */
function colorsOf(scheme) {
  const probe = document.createElement("i");
  probe.style.colorScheme = scheme;
  document.body.append(probe);
  const names = ["card", "text", "soft", "accent", "good", "warn", "bad"];
  const colors = names.map((name) => {
    probe.style.color = `var(--${name})`;
    return [
      name,
      getComputedStyle(probe)
        .color.match(/[\d.]+/g)
        .slice(0, 3)
        .map(Number),
    ];
  });
  probe.remove();
  return Object.fromEntries(colors);
}

const colors = Object.fromEntries(schemes.map((scheme) => [scheme, colorsOf(scheme)]));

/** The numbers of `hsl()`. */
function hslOf(rgb) {
  const [red, green, blue] = rgb.map((part) => part / 255);
  const [most, least] = [Math.max(red, green, blue), Math.min(red, green, blue)];
  const [light, span] = [(most + least) / 2, most - least];
  if (span === 0) return `0, 0%, ${100 * light}%`;
  const turn = {
    [blue]: 4 + (red - green) / span,
    [green]: 2 + (blue - red) / span,
    [red]: (green - blue) / span,
  };
  const full = span / (1 - Math.abs(2 * light - 1));
  return `${(60 * turn[most] + 360) % 360}, ${100 * full}%, ${100 * light}%`;
}

/** The number of `#…`, without the sign. */
function hexOf(rgb) {
  return rgb.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("");
}

function numbersOf(scheme) {
  return Object.entries(named)
    .map(([theirs, ours]) => `--color-${theirs}:${hslOf(colors[scheme][ours])}`)
    .join(";");
}

const sheet = new CSSStyleSheet();
sheet.replaceSync(`:is(${parts}){${numbersOf("light")}}
@media (prefers-color-scheme:dark){body:not(.graphiql-light) :is(${parts}){${numbersOf("dark")}}}
body.graphiql-dark :is(${parts}){${numbersOf("dark")}}`);
document.adoptedStyleSheets.push(sheet);

/** The names of colors in a theme: of a part, or of a part in a state. */
const groundOf = (part) => (part.includes(".") ? `${part}Background` : `${part}.background`);
const inkOf = (part) => (part.endsWith(".") ? `${part}foreground` : `${part}Foreground`);

/** A theme of the editors. */
function themeOf(scheme) {
  const { card, text, soft, accent, good, warn } = colors[scheme];
  const rule = (token, color) => ({ token, foreground: hexOf(color) });
  const [ground, ink, mark] = [card, text, accent].map((color) => `#${hexOf(color)}`);
  const all = (names, color) => Object.fromEntries(names.map((name) => [name, color]));
  return {
    base: scheme === "dark" ? "vs-dark" : "vs",
    inherit: true,
    rules: [
      ...[rule("", text), rule("comment", soft), rule("keyword", accent), rule("number", warn)],
      ...[rule("string", good), rule("string.value.json", good), rule("string.key.json", text)],
      ...[rule("keyword.json", accent), rule("key", text), rule("type", warn), rule("argument", accent)],
    ],
    colors: {
      ...all(["editor.background", "scrollbar.shadow"], "#ffffff00"),
      ...all(
        ["editorWidget", "editorHoverWidget", "editorSuggestWidget", "menu", "quickInput"].map(groundOf),
        ground,
      ),
      ...all(
        ["editor", "editorSuggestWidget", "keybindingLabel", "menu"].map((part) => `${part}.foreground`),
        ink,
      ),
      ...all(["editorSuggestWidget.selected", "menu.selection", "quickInputList.focus"].map(inkOf), ink),
      // What is chosen in a list.
      ...all(
        ["list.hover", "editorSuggestWidget.selected", "quickInputList.focus"].map(groundOf),
        `${mark}26`,
      ),
      ...all(["menu.selection", "toolbar.hover", "inputOption.hover"].map(groundOf), `${mark}26`),
      ...all(["list.highlight", "list.focusHighlight", "textLink.active", "pickerGroup."].map(inkOf), mark),
      ...all(["editorSuggestWidget.highlight", "editorSuggestWidget.focusHighlight"].map(inkOf), mark),
      ...{ "textLink.foreground": mark, focusBorder: mark, "input.background": `${ink}11` },
      "editorLineNumber.foreground": `#${hexOf(soft)}`,
      ...Object.fromEntries(
        [soft, accent, warn, good, soft, accent].map((color, index) => [
          `editorBracketHighlight.foreground${index + 1}`,
          `#${hexOf(color)}`,
        ]),
      ),
    },
  };
}

/** The editor's themes have the names that GraphiQL gives its own. */
const nameOf = (scheme) => `graphiql-${scheme.toUpperCase()}`;
const dark = matchMedia("(prefers-color-scheme: dark)");
let isThemed = false;

/** Gives the editors their themes, once they are loaded. */
globalThis.themeEditors = () => {
  const { editor } = globalThis.__MONACO ?? {};
  if (isThemed || !editor) return;
  isThemed = true;
  for (const scheme of schemes) editor.defineTheme(nameOf(scheme), themeOf(scheme));
  dark.addEventListener("change", () => {
    const isChosen = document.body.matches(".graphiql-light, .graphiql-dark");
    if (!isChosen) editor.setTheme(nameOf(dark.matches ? "dark" : "light"));
  });
};
