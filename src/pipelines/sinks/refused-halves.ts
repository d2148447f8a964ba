/**
 * Sends parts of items, one after the other. A part that is refused is sent in halves, until it is clear which items it is.
 * The order of the others stays.
 * @param isRefusal whether an error of `send` is about the items
 * @param most how many refused items to find; the rest is not sent after them
 * @throws what `send` throws, except for refusals
 */
export async function refusedInHalves<Item, Refusal extends Error>(
  parts: readonly (readonly Item[])[],
  send: (part: readonly Item[]) => Promise<void>,
  isRefusal: (error: unknown) => error is Refusal,
  most: number,
): Promise<readonly { readonly item: Item; readonly why: string }[]> {
  const refused: { readonly item: Item; readonly why: string }[] = [];
  const waiting = parts.toReversed();
  for (let part = waiting.pop(); part && refused.length < most; part = waiting.pop())
    try {
      await send(part);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const [item, ...others] = part;
      const middle = Math.ceil(part.length / 2);
      if (item !== undefined && others.length === 0) refused.push({ item, why: error.message });
      else waiting.push(part.slice(middle), part.slice(0, middle));
    }
  return refused;
}
