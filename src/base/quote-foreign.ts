import { quote } from "./quote.js";
import { visible } from "./visible.js";

/** A text from elsewhere in a message: quoted, short, on one line and without what a terminal would obey. */
export function quoteForeign(text: string): string {
  return visible(quote(text));
}
