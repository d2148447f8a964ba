/** The largest number that fits into the icon. */
const mostShown = 9;

/** The address of the icon in the browser's tab, which shows a number of failures. */
export function iconOf(failures: number): string {
  return failures > 0
    ? `/assets/icon.svg?failed=${failures > mostShown ? "more" : failures}`
    : "/assets/icon.svg";
}

/**
 * The icon with a number of failures on it.
 * @param icon the drawing without a number, 32 units wide
 * @param failed the value in its address; with any other value, the icon stays unchanged
 */
export function iconWith(icon: string, failed: string | undefined): string {
  const number = failed === "more" ? `${mostShown}+` : failed;
  if (number === undefined || !/^(?:[1-9]|9\+)$/.test(number)) return icon;
  const badge = `<circle cx="20" cy="20" r="12" fill="#b3261e"/><text x="20" y="26" fill="#fff" font-family="system-ui,sans-serif" font-size="${number.length > 1 ? 14 : 17}" font-weight="700" text-anchor="middle">${number}</text>`;
  return icon.replace("</svg>", `${badge}</svg>`);
}
