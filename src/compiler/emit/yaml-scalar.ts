/** Words that YAML 1.1 readers such as graph-cli do not read as text. */
const notText = /^(?:~|null|true|false|yes|no|on|off|y|n)$/i;

/**
 * Formats a text as a YAML scalar on one line: plain where every reader reads it as the same text, else
 * quoted.
 */
export function yamlScalar(text: string): string {
  const isPlain = /^(?:[A-Za-z_]|\.\/)(?:[\w$ (),[\]./-]*[\w)\]])?$/.test(text);
  return isPlain && !notText.test(text) ? text : quoted(text);
}

/** JSON's quoting is valid YAML, except for some characters that YAML wants escaped and JSON does not. */
function quoted(text: string): string {
  const escaped = (character: string): string =>
    `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(text).replace(/[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g, escaped);
}
