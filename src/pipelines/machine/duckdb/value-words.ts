import { near, shortened, type Translation, typeName } from "./translation.js";

const castHint = "write another value, or TRY_CAST for null in its place";

/** What DuckDB says about values, and about texts that it cannot parse. */
export const valueWords: readonly Translation[] = [
  // Values.
  [
    /^Could not convert string ['"]([\s\S]*)['"] to VARCHAR/,
    (value) => `"${shortened(value)}" is not an integer`,
    castHint,
  ],
  [
    /^Could not convert string ['"]([\s\S]*)['"] to ([A-Z]\w*(?:\([\d,]+\))?)/,
    (value, type) => `"${shortened(value)}" is not a value of ${typeName(type)}`,
    castHint,
  ],
  [
    /^(?:invalid )?(\w+) field (?:format|value out of range): "([\s\S]*?)", expected format is \(?(\S*)/i,
    (kind, value) => `"${shortened(value)}" is not a ${kind.toLowerCase()}`,
    (kind) =>
      kind.toLowerCase() === "time"
        ? "write it as 23:59:59"
        : "write it as 2026-01-31, with or without 23:59:59 after it",
  ],
  [
    /^Type (.*) with value ([\s\S]*) can't be cast (?:because .*)?(?:for|to) the destination type (.*?)(?: when casting.*)?$/,
    (_, value, type) => `${shortened(value)} does not fit into ${typeName(type)}`,
    rangeHint,
  ],
  [
    /^Could not cast value ([\s\S]*?) to (.*)$/,
    (value, type) => `${shortened(value)} does not fit into ${typeName(type)}`,
    rangeHint,
  ],
  [
    /^Casting value "?([\s\S]*?)"? to type (\S+) failed/,
    (value, type) => `${shortened(value)} does not fit into ${typeName(type)}`,
    rangeHint,
  ],
  [
    /^Overflow in (\w+) of (\w+) \((.*)\)/,
    (_, type, term) => `${shortened(term)} does not fit into ${typeName(type)}`,
    "cast to NUMERIC(78, 0) first, which holds 256 bits",
  ],
  [
    /^Malformed JSON .*?(?:Input: "([\s\S]*)")?$/,
    (input = "") => (input === "" ? "a text is not JSON" : `"${shortened(input)}" is not JSON`),
    "write TRY_CAST(value AS JSON) for null in its place, or ask json_valid(value) in a CASE",
  ],
  [
    /^JSON path error near '([\s\S]*)'/,
    (part) => `the JSON path is wrong at "${part}"`,
    "write a path such as $.field, $.list[0] or $.*",
  ],
  [
    /^(?:Failed to compile regex "[\s\S]*": )?((?:missing [)\]]|unexpected \)|no argument for repetition|bad repetition|invalid repetition|invalid (?:escape|character|perl|named|UTF)|trailing \\)[\s\S]*)$/,
    (fault) => `the regular expression cannot be read: ${fault}`,
    "write a backslash before a character that stands for itself, such as \\( or \\[",
  ],
  [/^Invalid escape string/i, "ESCAPE takes one character", "write a single character, as in ESCAPE '\\'"],
  [
    /^Like pattern must not end with escape/i,
    "the pattern of LIKE ends with its escape character",
    "write the escape character twice",
  ],
  [
    /^Unknown TimeZone '(.*)'/i,
    (zone) => `there is no time zone "${zone}"`,
    (_, ...others) => near(...others) ?? "write one such as Europe/Berlin",
  ],
  [
    /^Failed to parse format specifier ([\s\S]*?): (?:Unrecognized format for strftime\/strptime: (%\S+)|(.*))$/i,
    (format, part) => `the format "${format}" cannot be read${part ? ` at ${part}` : ""}`,
    "write parts such as %Y-%m-%d %H:%M:%S",
  ],
  [
    /^Could not parse string "([\s\S]*)" according to format specifier "([\s\S]*)"/,
    (value, format) => `"${shortened(value)}" does not have the form ${format}`,
    "write try_strptime for null in its place",
  ],
  [
    /^extract specifier "(.*)" not recognized/i,
    (part) => `a time has no part "${part}"`,
    "write year, month, day, hour, minute, second, week, quarter or epoch",
  ],
  [
    /^Invalid type specifier "(.*)" for formatting a value of type (.*)/,
    (part, type) => `a value of type ${type} cannot be formatted with "${part}"`,
    "write {} for any value, or cast the value",
  ],
  [
    /^(?:invalid format string|Argument index "?\d+"? out of range)/i,
    "the format does not fit its values",
    "write {} once for each value",
  ],
  [
    /^Invalid input for hex digit: ([\s\S]*)/i,
    (digit) => `"${digit}" is not a hexadecimal digit`,
    "leave out 0x, as in unhex(substr(value, 3))",
  ],
  [
    /^Failure in decode: could not convert blob to UTF8/i,
    "bytes are not text in UTF-8",
    "write hex(bytes) for their digits",
  ],
  [/^Cannot create a string of size/i, "a text becomes too long", "make it shorter"],
  [
    /^(?:failed to allocate|could not allocate|Allocation failure|.*max_temp_directory_size)/i,
    "the query needs more memory than it may have",
    "read fewer rows or columns, or aggregate in steps",
  ],
  [
    /^(?:Cannot access|.*disabled (?:by|through) configuration|.*external access)/i,
    "a query cannot reach files or the network",
    "read sources and transforms",
  ],
  // Syntax.
  [/^Only SELECT statements can be serialized/i, "the text is not a SELECT", "write one SELECT"],
  [/^unicode_to_utf8 NOT IMPLEMENTED/, "DuckDB has no texts with U& before them"],
  [/^syntax error at end of input/i, "it ends too early", "complete it, or close a parenthesis"],
  [
    /^syntax error at or near "([\s\S]*)"/i,
    (word) => `"${shortened(word)}" is not expected here`,
    "look at the words before it: a comma, a parenthesis or a word may be missing or too much",
  ],
  [
    /^unterminated quoted string/i,
    "a text has no closing quote",
    "close it with a single quote, and write a quote within it twice",
  ],
  [/^unterminated quoted identifier/i, "a name has no closing quote", "close it with a double quote"],
  [/^unterminated \/\* comment/i, "a comment is not closed", "close it with */"],
];

function rangeHint(...groups: string[]): string {
  return /DECIMAL/.test(groups.at(-1) ?? "")
    ? "give the decimal more digits, as in DECIMAL(38, 18), or write TRY_CAST for null"
    : "cast to NUMERIC(78, 0), which holds 256 bits, or write TRY_CAST for null in its place";
}
