/** Cases that differ and are to be mended; one that has become equal is to be taken from here. */
export const notYet: readonly string[] = [
  "c4-topic0-noabi",
  "c4-event-indexed-second",
  "c4-event-spaces",
  "c6-ens",
  "c6-hcatabsent",
  "c6-hmapabsent",
  "c6-hcat",
  "c6-hmap",
  "c8-endblock-before",
  "d8-tbadaddress",
  "d8-tshortaddress",
  "d8-tnoprefix",
  "d8-tnoparams",
  "e6-mapabsent",
  "e6-map",
  "e6-mapnocb",
];
