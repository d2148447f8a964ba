/** Words that graph-node does not inflect; matched whole and in lower case only. */
const uncountable = new Set(
  (
    "accommodation adulthood advertising advice aggression aid air aircraft alcohol anger applause " +
    "arithmetic assistance athletics bacon baggage beef biology blood botany bread butter carbon " +
    "cardboard cash chalk chaos chess crossroads countryside dancing deer dignity dirt dust economics " +
    "education electricity engineering enjoyment envy equipment ethics evidence evolution fame " +
    "fiction flour flu food fuel fun furniture gallows garbage garlic genetics gold golf gossip " +
    "grammar gratitude grief guilt gymnastics happiness hardware harm hate hatred health heat help " +
    "homework honesty honey hospitality housework humour hunger hydrogen ice importance inflation " +
    "information innocence iron irony jam jewelry judo karate knowledge lack laughter lava leather " +
    "leisure lightning linguine linguini linguistics literature litter livestock logic loneliness " +
    "luck luggage macaroni machinery magic management mankind marble mathematics mayonnaise measles " +
    "methane milk money mud music mumps nature news nitrogen nonsense nurture nutrition obedience " +
    "obesity oxygen pasta patience physics poetry pollution poverty pride psychology publicity " +
    "punctuation quartz racism relaxation reliability research respect revenge rice rubbish rum " +
    "safety scenery seafood seaside series shame sheep shopping sleep smoke smoking snow soap " +
    "software soil spaghetti species steam stuff stupidity sunshine symmetry tennis thirst thunder " +
    "timber traffic transportation trust underwear unemployment unity validity veal vegetation " +
    "vegetarianism vengeance violence vitality warmth wealth weather welfare wheat wildlife wisdom " +
    "yoga zinc zoology"
  ).split(" "),
);

const irregular = new Map(
  Object.entries({
    ox: "oxen",
    man: "men",
    woman: "women",
    die: "dice",
    yes: "yeses",
    foot: "feet",
    eave: "eaves",
    goose: "geese",
    tooth: "teeth",
    quiz: "quizzes",
  }),
);

/** Replacements of suffixes; the first match wins. Capitals never match, as in graph-node. */
const rules: readonly (readonly [RegExp, string])[] = [
  [/(\w*eaux)$/, "$1"],
  [/(\w*)child(ren)?$/, "$1children"],
  [/(\w*)pe(?:rson|ople)$/, "$1people"],
  [/(\w*(?:m|l))(?:ice|ouse)$/, "$1ice"],
  [/(\w*(?:matr|cod|mur|sil|vert|ind|append))(?:ix|ex)$/, "$1ices"],
  [/(\w*(?:x|ch|ss|sh|zz))$/, "$1es"],
  [/(\w*(?:x|ch|ss|sh|zz)es)$/, "$1"],
  [/(\w*[^ch][ieo][ln])ey$/, "$1ies"],
  [/(\w*(?:[^aeiouy]|qu))y$/, "$1ies"],
  [/(\w*(?:ar|l|ea|eo|oa|hoo))f$/, "$1ves"],
  [/(\w*(?:kni|wi|li))fe$/, "$1ves"],
  [/(\w*)sis$/, "$1ses"],
  [
    /(\w*(?:apheli|hyperbat|periheli|asyndet|noumen|phenomen|criteri|organ|prolegomen|hedr|automat))(?:a|on)$/,
    "$1a",
  ],
  [
    /(\w*(?:agend|addend|millenni|dat|extrem|bacteri|desiderat|strat|candelabr|errat|ov|symposi|curricul|automat|quor))(?:a|um)$/,
    "$1a",
  ],
  [/(\w*(?:her|at|gr))o$/, "$1oes"],
  [/(\w*(?:seraph|cherub))(?:im)?$/, "$1im"],
  [/(\w*(?:alumn|alg|vertebr))(?:a|ae)$/, "$1ae"],
  [
    /(\w*(?:alumn|syllab|octop|vir|radi|nucle|fung|cact|stimul|termin|bacill|foc|uter|loc|strat))(?:us|i)$/,
    "$1i",
  ],
  [/(\w*(?:[^l]ias|[aeiou]las|[emjzr]as|[iu]am))$/, "$1"],
  [/(\w*e[mn]u)s?$/, "$1s"],
  [/(\w*(?:alias|[^aou]us|tlas|gas|ris))$/, "$1es"],
  [/(\w*(?:ax|test))is$/, "$1es"],
  [/(\w*[^aeiou]ese)$/, "$1"],
  [/(\w*)s$/, "$1s"],
];

/** The plural of a type name as graph-node forms it, including its irregularities, because queries depend on it. */
export function pluralOf(name: string): string {
  if (uncountable.has(name)) return name;
  const exact = irregular.get(name);
  if (exact !== undefined) return exact;
  for (const [ending, plural] of rules) {
    if (ending.test(name)) return name.replace(ending, plural);
  }
  return `${name}s`;
}
