-- Whose a dongle is before it has reported, and from where it may (docs/adr/0023).

-- IMEIs that the operator has handed out. Once there are several accounts, each registers of its own accord only what
-- was handed out to it.
create table allotments (
  account_id integer not null references accounts,
  imeis int8range not null,
  created timestamptz not null default clock_timestamp(),
  primary key (imeis),
  exclude using gist (imeis with &&)
);

-- What accounts registered of their own accord, or were not allowed to. A device may be gone by now.
create table claims (
  device_id bigint not null,
  account_id integer not null references accounts,
  claimed timestamptz not null default clock_timestamp(),
  -- open: registered, and it has not reported yet; by key: it joined with what a key of the account sent, without being
  -- handed out; released: it never reported, and was given up; refused: it is not this account's to register.
  state text not null check (state in ('open', 'by key', 'released', 'refused')),
  changed timestamptz not null default clock_timestamp(),
  primary key (device_id, account_id)
);
create index claims_by_state on claims (state, claimed);

-- Nobody but a key of its account has said whose it is: what comes from the dongle itself is not for that account.
alter table devices add is_claimed boolean not null default false;

-- Where a dongle may report from, over connections without a key: networks in CIDR notation, those of the device before
-- those of its account; anywhere when there are none.
alter table devices add networks text[] not null default '{}';
alter table accounts add networks text[] not null default '{}';

-- Deleted by its account or the operator: nothing that it measured is left. The row stays, because what clients must be told is
-- deleted refers to it; the dongle may come again.
alter table devices add deleted timestamptz;
