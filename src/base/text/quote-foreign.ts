import { quote } from "./quote.js";
import { visible } from "./visible.js";

/** Quotes foreign text for a message: shortened, on one line, control characters escaped. */
export function quoteForeign(text: string): string {
  return visible(quote(text));
}
