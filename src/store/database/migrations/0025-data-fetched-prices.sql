-- When the data service fetched a price, in seconds since 1970; 0 for imported ones. Pages of a walk show the prices that were
-- known when it began. The bucket of a fetched price is the time that its source says.
alter table graphloom.data_prices add column known_at bigint not null default 0;
