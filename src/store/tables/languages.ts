/** The database's text search configuration, by a schema's name for the language. */
export const languages: ReadonlyMap<string, string> = new Map([
  ["simple", "simple"],
  ["da", "danish"],
  ["nl", "dutch"],
  ["en", "english"],
  ["fi", "finnish"],
  ["fr", "french"],
  ["de", "german"],
  ["hu", "hungarian"],
  ["it", "italian"],
  ["no", "norwegian"],
  ["pt", "portuguese"],
  ["ro", "romanian"],
  ["ru", "russian"],
  ["es", "spanish"],
  ["sv", "swedish"],
  ["tr", "turkish"],
]);
