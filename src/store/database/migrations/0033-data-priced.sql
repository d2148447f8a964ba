-- The tokens of which there is any price. A wallet may have thousands of tokens, and few of them have one.
create table graphloom.data_priced (
  chain text not null,
  token text not null,
  primary key (chain, token)
);
insert into graphloom.data_priced (chain, token) select distinct chain, token from graphloom.data_prices;
