/** Words that YAML 1.1 parsers, such as graph-cli's, do not read as strings. */
const notText = /^(?:~|null|true|false|yes|no|on|off|y|n)$/i;

/**
 * Formats a text as a one-line YAML scalar: plain if every parser reads it as the same string, otherwise
 * quoted.
 */
export function yamlScalar(text: string): string {
  const isPlain = /^(?:[A-Za-z_]|\.\/)(?:[\w$ (),[\]./-]*[\w)\]])?$/.test(text);
  return isPlain && !notText.test(text) ? text : quoted(text);
}

/** JSON's quoting is valid YAML, except that YAML requires more characters to be escaped. */
function quoted(text: string): string {
  const escaped = (character: string): string =>
    `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(text).replace(/[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g, escaped);
}
