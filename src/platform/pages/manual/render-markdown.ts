import { Marked, type Tokens } from "marked";
import { escapeHtml, Html } from "../../http/html.js";

/** A heading of a page, as the target of links. */
export interface Heading {
  readonly depth: number;
  readonly id: string;
  readonly text: Html;
}

/** A page as HTML. */
export interface RenderedPage {
  readonly body: Html;
  /** The content without the title. */
  readonly headings: readonly Heading[];
}

/**
 * Renders a page of the documentation. It shows HTML as text. It omits the title, which the surrounding page shows.
 * Headings get the ids that GitHub gives them.
 * @param addressOf the address of a link to another file; `undefined` turns the link into text
 */
export function renderMarkdown(
  markdown: string,
  addressOf: (file: string) => string | undefined,
): RenderedPage {
  const headings: Heading[] = [];
  const taken = new Map<string, number>();
  const marked = new Marked({ gfm: true });
  marked.use({
    renderer: {
      html: ({ text }) => escapeHtml(text),
      heading({ tokens, depth, text }) {
        if (depth === 1) return "";
        const id = freeId(anchorOf(text), taken);
        const inner = this.parser.parseInline(tokens);
        headings.push({ depth, id, text: new Html(inner) });
        return `<h${depth} id="${escapeHtml(id)}">${inner}</h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        const inner = this.parser.parseInline(tokens);
        const address = addressIn(href, addressOf);
        return address === undefined ? inner : `<a href="${escapeHtml(address)}">${inner}</a>`;
      },
      // Pages load nothing from other servers.
      image: ({ text }) => escapeHtml(text),
    },
  });
  const body = new Html(marked.parse(markdown, { async: false }));
  return { body, headings };
}

/** The id that GitHub gives a heading. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replace(/\s/g, "-");
}

function freeId(anchor: string, taken: Map<string, number>): string {
  const times = taken.get(anchor) ?? 0;
  taken.set(anchor, times + 1);
  return times === 0 ? anchor : `${anchor}-${times}`;
}

function addressIn(href: string, addressOf: (file: string) => string | undefined): string | undefined {
  if (/^(?:#|https?:\/\/)/i.test(href)) return href;
  const [file = "", anchor] = href.split("#", 2);
  const address = addressOf(file);
  return address === undefined || anchor === undefined ? address : `${address}#${anchor}`;
}
