import { SQL, type SqlFragment } from "../../store/database/database.js";

/**
 * A part of a WITH clause that records which tokens have prices. Every statement that writes prices includes it.
 * @param given the source of the chains and tokens
 */
export function notePriced(given: SqlFragment): SqlFragment {
  return SQL`noted as (insert into graphloom.data_priced (chain, token)
    select distinct chain, token from ${given} order by 1, 2 on conflict do nothing)`;
}
