-- Sealed days for people who have nothing but SQL (docs/data-model.md). Slow: a second or two for a long day. Tacho does not use it.

-- RFC 1951.
create function inflate(packed bytea) returns bytea
language plpgsql immutable strict parallel safe as $$
declare
  result bytea := '';
  bit_at bigint := 0;
  is_last boolean := false;
  kind integer;
  length integer;
  distance integer;
  symbol integer;
  code_lengths integer[];
  literals integer[];
  distances integer[];
  literal_count integer;
  distance_count integer;
  order_of constant integer[] := array[16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
  length_base constant integer[] := array[3,4,5,6,7,8,9,10,11,13,15,17,19,23,27,31,35,43,51,59,67,83,99,115,131,163,195,227,258];
  length_bits constant integer[] := array[0,0,0,0,0,0,0,0,1,1,1,1,2,2,2,2,3,3,3,3,4,4,4,4,5,5,5,5,0];
  distance_base constant integer[] := array[1,2,3,4,5,7,9,13,17,25,33,49,65,97,129,193,257,385,513,769,1025,1537,2049,3073,4097,6145,8193,12289,16385,24577];
  distance_bits constant integer[] := array[0,0,0,0,1,1,2,2,3,3,4,4,5,5,6,6,7,7,8,8,9,9,10,10,11,11,12,12,13,13];
begin
  while not is_last loop
    is_last := bits_at(packed, bit_at, 1) = 1;
    kind := bits_at(packed, bit_at + 1, 2);
    bit_at := bit_at + 3;
    if kind = 0 then
      bit_at := (bit_at + 7) / 8 * 8;
      length := bits_at(packed, bit_at, 16);
      result := result || substring(packed from (bit_at / 8 + 5)::integer for length);
      bit_at := bit_at + 32 + 8 * length;
      continue;
    end if;
    if kind = 1 then
      literals := huffman_codes(array_fill(8, array[144]) || array_fill(9, array[112]) || array_fill(7, array[24]) || array_fill(8, array[8]));
      distances := huffman_codes(array_fill(5, array[30]));
    else
      literal_count := bits_at(packed, bit_at, 5) + 257;
      distance_count := bits_at(packed, bit_at + 5, 5) + 1;
      length := bits_at(packed, bit_at + 10, 4) + 4;
      bit_at := bit_at + 14;
      code_lengths := array_fill(0, array[19]);
      for place in 1 .. length loop
        code_lengths[order_of[place] + 1] := bits_at(packed, bit_at, 3);
        bit_at := bit_at + 3;
      end loop;
      literals := huffman_codes(code_lengths);
      code_lengths := '{}';
      while cardinality(code_lengths) < literal_count + distance_count loop
        select h.symbol, h.next_at into symbol, bit_at from huffman_symbol(packed, bit_at, literals) h;
        if symbol < 16 then
          code_lengths := code_lengths || symbol;
        elsif symbol = 16 then
          code_lengths := code_lengths || array_fill(code_lengths[cardinality(code_lengths)], array[3 + bits_at(packed, bit_at, 2)]);
          bit_at := bit_at + 2;
        elsif symbol = 17 then
          code_lengths := code_lengths || array_fill(0, array[3 + bits_at(packed, bit_at, 3)]);
          bit_at := bit_at + 3;
        else
          code_lengths := code_lengths || array_fill(0, array[11 + bits_at(packed, bit_at, 7)]);
          bit_at := bit_at + 7;
        end if;
      end loop;
      literals := huffman_codes(code_lengths[1 : literal_count]);
      distances := huffman_codes(code_lengths[literal_count + 1 :]);
    end if;
    loop
      select h.symbol, h.next_at into symbol, bit_at from huffman_symbol(packed, bit_at, literals) h;
      exit when symbol = 256;
      if symbol < 256 then
        result := result || set_byte('\x00', 0, symbol);
        continue;
      end if;
      length := length_base[symbol - 256] + bits_at(packed, bit_at, length_bits[symbol - 256]);
      bit_at := bit_at + length_bits[symbol - 256];
      select h.symbol, h.next_at into symbol, bit_at from huffman_symbol(packed, bit_at, distances) h;
      distance := distance_base[symbol + 1] + bits_at(packed, bit_at, distance_bits[symbol + 1]);
      bit_at := bit_at + distance_bits[symbol + 1];
      while length > 0 loop
        kind := least(length, distance);
        result := result || substring(result from octet_length(result) - distance + 1 for kind);
        length := length - kind;
      end loop;
    end loop;
  end loop;
  return result;
end
$$;

-- So many bits as a number, the lowest first.
create function bits_at(packed bytea, bit_at bigint, wanted integer) returns integer
language plpgsql immutable strict parallel safe as $$
declare
  value integer := 0;
begin
  for place in 0 .. wanted - 1 loop
    value := value | (get_bit(packed, bit_at + place) << place);
  end loop;
  return value;
end
$$;

-- A canonical Huffman code: how many codes there are of each length from 1 to 15, then the symbols in their order.
create function huffman_codes(lengths integer[]) returns integer[]
language sql immutable strict parallel safe as $$
  select array(
    select (select count(*)::integer from unnest(lengths) as l where l = wanted) from generate_series(1, 15) as wanted order by wanted
  ) || array(
    select (place - 1)::integer from unnest(lengths) with ordinality as l (length, place) where length > 0 order by length, place
  )
$$;

create function huffman_symbol(packed bytea, bit_at bigint, codes integer[], out symbol integer, out next_at bigint)
language plpgsql immutable strict parallel safe as $$
declare
  code integer := 0;
  first_code integer := 0;
  before integer := 0;
begin
  next_at := bit_at;
  for length in 1 .. 15 loop
    code := code | get_bit(packed, next_at);
    next_at := next_at + 1;
    if code - codes[length] < first_code then
      symbol := codes[16 + before + code - first_code];
      return;
    end if;
    before := before + codes[length];
    first_code := (first_code + codes[length]) << 1;
    code := code << 1;
  end loop;
  raise exception 'not deflated';
end
$$;

create function whole_at(bytes bytea, at integer, out value bigint, out next_at integer)
language plpgsql immutable strict parallel safe as $$
declare
  unit bigint := 1;
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

create function sealed_numbers(body bytea, at integer, wanted integer, out numbers double precision[], out next_at integer)
language plpgsql immutable strict parallel safe as $$
declare
  coding integer := get_byte(body, at) & 127;
  scale integer := get_byte(body, at + 1);
  length bigint;
  bytes bytea;
  here integer := 0;
  item bigint;
  value bigint := 0;
  step bigint := 0;
  different bigint[] := '{}';
  wholes bigint[] := '{}';
  before bit(64) := 0::bit(64);
  hex text;
begin
  select w.value, w.next_at into length, next_at from whole_at(body, at + 2) w;
  bytes := substring(body from next_at + 1 for length::integer);
  next_at := next_at + length::integer;
  if get_byte(body, at) >= 128 then
    bytes := inflate(bytes);
  end if;
  if coding = 5 then
    numbers := '{}';
    for place in 0 .. wanted - 1 loop
      select string_agg(lpad(to_hex(get_byte(bytes, plane * wanted + place)), 2, '0'), '' order by plane) into hex
      from generate_series(0, 7) as plane;
      before := before # ('x' || hex)::bit(64);
      numbers := numbers || (unpack_numbers('\x80'::bytea || decode(lpad(to_hex(before::bigint), 16, '0'), 'hex'), 1));
    end loop;
    return;
  end if;
  if coding = 4 then
    select w.value, w.next_at into length, here from whole_at(bytes, 0) w;
    for place in 1 .. length loop
      select w.value, w.next_at into item, here from whole_at(bytes, here) w;
      value := value + case when item % 2 = 0 then item / 2 else -(item + 1) / 2 end;
      different := different || value;
    end loop;
    wholes := array(select different[get_byte(bytes, here + place) + 1] from generate_series(0, wanted - 1) as place order by place);
  else
    while cardinality(wholes) < wanted loop
      select w.value, w.next_at into item, here from whole_at(bytes, here) w;
      item := case when item % 2 = 0 then item / 2 else -(item + 1) / 2 end;
      if coding = 2 then
        step := step + item;
        value := value + step;
      else
        value := value + item;
      end if;
      if coding = 3 then
        select w.value, w.next_at into length, here from whole_at(bytes, here) w;
        wholes := wholes || array_fill(value, array[length::integer + 1]);
      else
        wholes := wholes || value;
      end if;
    end loop;
  end if;
  numbers := array(select whole::float8 / (10::float8 ^ scale) from unnest(wholes) with ordinality as w (whole, place) order by place);
end
$$;

create function sealed_texts(body bytea, at integer, wanted integer, out texts text[], out next_at integer)
language plpgsql immutable strict parallel safe as $$
declare
  different bigint;
  length bigint;
  bytes bytea;
  here integer := 0;
  known text[] := '{}';
  places double precision[];
begin
  select w.value, w.next_at into different, next_at from whole_at(body, at + 1) w;
  select w.value, w.next_at into length, next_at from whole_at(body, next_at) w;
  bytes := substring(body from next_at + 1 for length::integer);
  next_at := next_at + length::integer;
  if get_byte(body, at) = 1 then
    bytes := inflate(bytes);
  end if;
  for place in 1 .. different loop
    select w.value, w.next_at into length, here from whole_at(bytes, here) w;
    known := known || convert_from(substring(bytes from here + 1 for length::integer), 'UTF8');
    here := here + length::integer;
  end loop;
  select n.numbers, n.next_at into places, next_at from sealed_numbers(body, next_at, wanted) n;
  texts := array(select known[place::integer + 1] from unnest(places) with ordinality as p (place, at) order by p.at);
end
$$;

-- The values of a sealed day: for each the time, when it was stored, its event type, and its numbers or its text.
create function unseal(body bytea)
returns table ("time" timestamptz, stored timestamptz, type integer, numbers double precision[], value_text text)
language plpgsql immutable strict parallel safe as $$
declare
  here integer;
  wanted bigint;
  item bigint;
  left_over bigint;
  layouts bigint;
  layout_types integer[];
  all_types text[] := '{}';
  times double precision[];
  stamps double precision[];
  places double precision[];
  of_type integer[];
  width integer;
  parts double precision[];
  more double precision[];
  found text[];
begin
  if get_byte(body, 0) <> 1 then
    raise exception 'a sealed day of version %', get_byte(body, 0);
  end if;
  select w.value, w.next_at into wanted, here from whole_at(body, 1) w;
  select w.value, w.next_at into layouts, here from whole_at(body, here) w;
  for layout in 1 .. layouts loop
    select w.value, w.next_at into item, here from whole_at(body, here) w;
    select w.value, w.next_at into left_over, here from whole_at(body, here) w;
    layout_types := '{}';
    type := 0;
    for place in 1 .. left_over loop
      select w.value, w.next_at into item, here from whole_at(body, here) w;
      type := type + item;
      layout_types := layout_types || type;
    end loop;
    all_types := all_types || layout_types::text;
  end loop;
  select n.numbers, n.next_at into times, here from sealed_numbers(body, here, wanted::integer) n;
  select n.numbers, n.next_at into stamps, here from sealed_numbers(body, here, wanted::integer) n;
  select n.numbers, n.next_at into places, here from sealed_numbers(body, here, wanted::integer) n;
  select w.value, w.next_at into left_over, here from whole_at(body, here) w;
  while left_over > 0 loop
    left_over := left_over - 1;
    select w.value, w.next_at into item, here from whole_at(body, here) w;
    type := item;
    width := get_byte(body, here);
    here := here + 1;
    of_type := array(
      select p.at::integer from unnest(places) with ordinality as p (place, at)
      where unseal.type = any (all_types[p.place::integer + 1]::integer[]) order by p.at);
    parts := null;
    more := null;
    found := null;
    if width = 0 then
      select t.texts, t.next_at into found, here from sealed_texts(body, here, cardinality(of_type)) t;
    else
      select n.numbers, n.next_at into parts, here from sealed_numbers(body, here, cardinality(of_type)) n;
    end if;
    if width = 2 then
      select n.numbers, n.next_at into more, here from sealed_numbers(body, here, cardinality(of_type)) n;
    end if;
    for place in 1 .. cardinality(of_type) loop
      time := epoch_ms(times[of_type[place]]::bigint);
      stored := timestamptz '2000-01-01 00:00:00Z' + stamps[of_type[place]]::bigint * interval '1 microsecond';
      numbers := case width when 1 then array[parts[place]] when 2 then array[parts[place], more[place]] end;
      value_text := found[place];
      return next;
    end loop;
  end loop;
end
$$;
