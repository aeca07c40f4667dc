-- What one account may take of the intake and of the disk (docs/adr/0021-fair-shares.md).

-- Quotas that an operator set: null leaves it to the settings, 0 is none.
alter table accounts add column events_per_minute integer check (events_per_minute >= 0);
alter table accounts add column volume_mb integer check (volume_mb >= 0);

-- How much of its events a minute an account has used up, as of `at`; it runs off as time passes.
create table account_levels (
  account_id integer primary key references accounts (id),
  events float8 not null check (events >= 0),
  at timestamptz not null default clock_timestamp()
);

-- What the samples of an account take on the disk, about, by the week of their times.
create table account_volumes (
  account_id integer not null references accounts (id),
  -- A Monday.
  week date not null,
  bytes bigint not null check (bytes >= 0),
  primary key (account_id, week)
);

-- Who used a shape first: each account may bring in so many. Null where nobody knows, as of all shapes until now.
alter table shapes add column account_id integer references accounts (id);
create index shapes_by_account on shapes (account_id);
-- No sample with this shape is of a later time. When all samples until then are dropped, none uses it.
alter table shapes add column newest timestamptz not null default clock_timestamp() + interval '5 minutes';
-- The last day on which a sample with this shape was written.
alter table shapes add column used_on date not null default current_date;
