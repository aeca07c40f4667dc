-- What is kept of the values of a sealed day, hour by hour (docs/adr/0039). Null until it is worked out. Compressed already.
alter table sealed_days add column rollup bytea;
alter table sealed_days alter column rollup set storage external;

create index sealed_days_without_rollup on sealed_days (device_id, day) where rollup is null;

create function long_at(bytes bytea, at integer, out value numeric, out next_at integer)
language plpgsql immutable strict parallel safe as $$
declare
  unit numeric := 1;
begin
  value := 0;
  next_at := at;
  loop
    value := value + (get_byte(bytes, next_at) & 127) * unit;
    next_at := next_at + 1;
    exit when get_byte(bytes, next_at - 1) < 128;
    unit := unit * 128;
  end loop;
end
$$;

-- The rollup of a day for people who have nothing but SQL, a row an event type and hour with values (docs/data-model.md).
create function unroll(rollup bytea)
returns table (
  hour timestamptz, type integer, count integer, lowest double precision, highest double precision, sum numeric,
  first double precision, last double precision,
  lowest_time timestamptz, highest_time timestamptz, first_time timestamptz, last_time timestamptz
)
language plpgsql immutable strict parallel safe as $$
declare
  bytes bytea := substring(rollup from 3);
  here integer;
  item bigint;
  long numeric;
  day_ms bigint;
  unit bigint;
  groups bigint;
  left_over bigint;
  group_at integer[] := '{}';
  at integer;
  hours integer;
  coding integer;
  scale bigint;
  starts bigint[];
  counts bigint[];
  firsts bigint[];
  lasts bigint[];
  lows bigint[];
  highs bigint[];
  ends double precision[];
  before bigint;
  first_whole bigint;
  long_before numeric;
begin
  if get_byte(rollup, 0) <> 1 then
    raise exception 'a rollup of version %', get_byte(rollup, 0);
  end if;
  if get_byte(rollup, 1) = 1 then
    bytes := inflate(bytes);
  end if;
  select w.value, w.next_at into item, here from whole_at(bytes, 0) w;
  day_ms := (case when item % 2 = 0 then item / 2 else -(item + 1) / 2 end) * 86400000;
  select w.value, w.next_at into unit, here from whole_at(bytes, here) w;
  select w.value, w.next_at into groups, here from whole_at(bytes, here) w;
  for place in 1 .. groups loop
    select w.value, w.next_at into item, here from whole_at(bytes, here) w;
    group_at := group_at || here;
    here := here + item::integer;
  end loop;
  select w.value, w.next_at into left_over, here from whole_at(bytes, here) w;
  type := 0;
  while left_over > 0 loop
    left_over := left_over - 1;
    select type + w.value, w.next_at into type, here from whole_at(bytes, here) w;
    select w.value, w.next_at into item, here from whole_at(bytes, here) w;
    at := group_at[item + 1];
    select w.value, w.next_at into item, here from whole_at(bytes, here) w;
    coding := get_byte(bytes, here);
    if coding = 17 then
      here := here + item::integer;
      continue;
    end if;
    here := here + 1;
    select w.value, w.next_at into hours, at from whole_at(bytes, at) w;
    starts := '{}'; counts := '{}'; firsts := '{}'; lasts := '{}'; lows := '{}'; highs := '{}'; ends := '{}';
    before := day_ms;
    for place in 1 .. hours loop
      select before + w.value * 3600000, w.next_at into before, at from whole_at(bytes, at) w;
      starts := starts || before;
    end loop;
    for place in 1 .. hours loop
      select counts || w.value, w.next_at into counts, at from whole_at(bytes, at) w;
    end loop;
    for place in 1 .. hours loop
      select firsts || (starts[place] + w.value * unit), w.next_at into firsts, at from whole_at(bytes, at) w;
    end loop;
    for place in 1 .. hours loop
      select lasts || (firsts[place] + w.value * unit), w.next_at into lasts, at from whole_at(bytes, at) w;
    end loop;
    before := 0;
    for place in 1 .. hours loop
      if coding = 16 then
        for which in 0 .. 3 loop
          ends := ends || unpack_numbers('\x80'::bytea || substring(bytes from here + 1 for 8), 1);
          here := here + 8;
        end loop;
        continue;
      end if;
      select w.value, w.next_at into item, here from whole_at(bytes, here) w;
      first_whole := before + case when item % 2 = 0 then item / 2 else -(item + 1) / 2 end;
      ends := ends || first_whole / (10::float8 ^ coding);
      select w.value, w.next_at into item, here from whole_at(bytes, here) w;
      ends := ends || (first_whole - item) / (10::float8 ^ coding);
      select w.value, w.next_at into item, here from whole_at(bytes, here) w;
      ends := ends || (first_whole + item) / (10::float8 ^ coding);
      select w.value, w.next_at into item, here from whole_at(bytes, here) w;
      before := first_whole + case when item % 2 = 0 then item / 2 else -(item + 1) / 2 end;
      ends := ends || before / (10::float8 ^ coding);
    end loop;
    for place in 1 .. hours loop
      select lows || (firsts[place] + w.value * unit), w.next_at into lows, here from whole_at(bytes, here) w;
    end loop;
    for place in 1 .. hours loop
      select highs || (firsts[place] + w.value * unit), w.next_at into highs, here from whole_at(bytes, here) w;
    end loop;
    select w.value, w.next_at into scale, here from whole_at(bytes, here) w;
    long_before := 0;
    for place in 1 .. hours loop
      select w.value, w.next_at into long, here from long_at(bytes, here) w;
      long_before := long_before + case when long % 2 = 0 then div(long, 2) else -div(long + 1, 2) end;
      hour := epoch_ms(starts[place]);
      count := counts[place]::integer;
      first := ends[place * 4 - 3];
      lowest := ends[place * 4 - 2];
      highest := ends[place * 4 - 1];
      last := ends[place * 4];
      first_time := epoch_ms(firsts[place]);
      last_time := epoch_ms(lasts[place]);
      lowest_time := epoch_ms(lows[place]);
      highest_time := epoch_ms(highs[place]);
      sum := trim_scale(long_before * ('1e-' || scale)::numeric);
      return next;
    end loop;
  end loop;
end
$$;
