/** The colours of a drawing: `auto` follows the reader's preference for dark or light. */
export const mapThemes = ["auto", "light", "dark"] as const;
export type MapTheme = (typeof mapThemes)[number];

interface Palette {
  readonly paper: string;
  readonly ink: string;
  readonly soft: string;
  readonly line: string;
  readonly contract: string;
  readonly contractLine: string;
  readonly panel: string;
  readonly panelLine: string;
  readonly entity: string;
  readonly entityLine: string;
  readonly creates: string;
  readonly refers: string;
}

const light: Palette = {
  paper: "#ffffff",
  ink: "#1c2733",
  soft: "#5b6b7b",
  line: "#9fb0c0",
  contract: "#eaf2fb",
  contractLine: "#5b8fc7",
  panel: "#f6f7f9",
  panelLine: "#c3ccd5",
  entity: "#eaf7ee",
  entityLine: "#4d9d68",
  creates: "#b5651d",
  refers: "#7c4fc4",
};

const dark: Palette = {
  paper: "#11171d",
  ink: "#e6edf3",
  soft: "#93a3b3",
  line: "#566675",
  contract: "#16283b",
  contractLine: "#5b8fc7",
  panel: "#1a222b",
  panelLine: "#3a4753",
  entity: "#15301f",
  entityLine: "#4d9d68",
  creates: "#e0a060",
  refers: "#b294ea",
};

/**
 * The style of maps. It loads nothing and uses no variables, which some SVG viewers do not support. For `auto`, these
 * viewers show the light colours.
 */
export function mapStyle(theme: MapTheme): string {
  if (theme === "auto")
    return `${shapes}${colours(light)}@media (prefers-color-scheme:dark){\n${colours(dark)}}\n`;
  return `${shapes}${colours(theme === "light" ? light : dark)}`;
}

const shapes = rules({
  text: 'font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace;font-size:13px',
  ".heading": "font-weight:600",
  ".name": "font-weight:600",
  ".small": "font-size:11px",
  ".field": "font-size:11px",
  ".note": "font-size:11px",
  ".derived": "font-style:italic",
  ".template": "stroke-dasharray:5 3",
  ".row": "fill:none;pointer-events:all",
  ".edge": "fill:none;stroke-width:1.5",
  ".creates": "stroke-dasharray:5 3",
  ".figure": "font-size:11px;stroke-width:4px;stroke-linejoin:round;paint-order:stroke;text-anchor:middle",
});

function colours(palette: Palette): string {
  const { paper, ink, soft, line, creates, refers } = palette;
  return rules({
    "": `background:${paper};color-scheme:${palette === dark ? "dark" : "light"}`,
    text: `fill:${ink}`,
    ".paper": `fill:${paper}`,
    ".heading": `fill:${soft}`,
    ".small": `fill:${soft}`,
    ".kind": `fill:${soft}`,
    ".type": `fill:${soft}`,
    ".note": `fill:${soft}`,
    ".contract": `fill:${palette.contract};stroke:${palette.contractLine}`,
    ".panel": `fill:${palette.panel};stroke:${palette.panelLine}`,
    ".rule": `stroke:${palette.panelLine}`,
    ".mark": `fill:${paper};stroke:${palette.panelLine}`,
    ".entity": `fill:${palette.entity};stroke:${palette.entityLine}`,
    ".edge": `stroke:${line}`,
    ".creates": `stroke:${creates}`,
    ".refers": `stroke:${refers}`,
    ".reference": `fill:${refers}`,
    ".creates-head": `fill:${creates}`,
    ".refers-head": `fill:${refers}`,
    ".figure": `fill:${soft};stroke:${paper}`,
  });
}

function rules(all: Readonly<Record<string, string>>): string {
  return Object.entries(all)
    .map(([selector, declarations]) => `.graphloom-map${selector && ` ${selector}`}{${declarations}}\n`)
    .join("");
}
