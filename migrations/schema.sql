-- The schema after all migrations, for reviews: no program reads it. Written by `npm run schema`.
-- Partitions of the samples are not here: they are made when their weeks arrive.

CREATE EXTENSION btree_gist;

CREATE SEQUENCE due_versions AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE revisions AS bigint INCREMENT 1 MINVALUE 0 MAXVALUE 9223372036854775807 START 0 CACHE 1;

CREATE SEQUENCE shard_turns_0 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_1 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_10 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_11 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_12 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_13 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_14 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_15 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_16 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_17 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_18 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_19 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_2 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_20 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_21 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_22 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_23 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_24 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_25 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_26 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_27 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_28 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_29 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_3 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_30 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_31 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_32 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_33 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_34 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_35 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_36 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_37 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_38 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_39 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_4 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_40 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_41 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_42 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_43 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_44 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_45 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_46 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_47 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_48 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_49 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_5 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_50 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_51 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_52 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_53 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_54 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_55 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_56 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_57 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_58 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_59 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_6 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_60 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_61 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_62 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_63 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_7 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_8 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE SEQUENCE shard_turns_9 AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;

CREATE OR REPLACE FUNCTION public.epoch_ms(ms bigint)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$ select timestamptz 'epoch' + ms * interval '1 millisecond' $function$;

CREATE OR REPLACE FUNCTION public.keep_security_log()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'DELETE' then
    if old.time < clock_timestamp() - interval '7 days' and current_setting('tacho.retention', true) = 'security_log' then
      return old;
    end if;
  end if;
  raise exception 'the security log is only added to' using errcode = 'insufficient_privilege';
end
$function$;

CREATE OR REPLACE FUNCTION public.low_watermark(writer_name text)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
AS $function$
declare
  own timestamptz := take_revisions(1);
  oldest timestamptz;
begin
  select min(xact_start) into oldest from pg_stat_get_activity(null)
  where application_name = writer_name and backend_xid is not null
    and datid = (select oid from pg_database where datname = current_database());
  return least(own, oldest - interval '1 microsecond');
end
$function$;

CREATE OR REPLACE FUNCTION public.require_decided()
 RETURNS void
 LANGUAGE sql
AS $function$ select $function$;

CREATE OR REPLACE FUNCTION public.table_bytes(which regclass)
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$ select pg_total_relation_size(which) $function$;

CREATE OR REPLACE FUNCTION public.table_rows(which regclass)
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$ select greatest(reltuples, 0)::bigint from pg_class where oid = which $function$;

CREATE OR REPLACE FUNCTION public.take_revisions(wanted integer)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
AS $function$
declare
  first_us bigint;
begin
  perform pg_advisory_lock(7411, 0);
  select greatest((extract(epoch from greatest(clock_timestamp(), now())) * 1000000)::bigint, last_value + 1)
  into first_us from revisions;
  perform setval('revisions', first_us + greatest(wanted, 1) - 1);
  perform pg_advisory_unlock(7411, 0);
  return timestamptz 'epoch' + first_us * interval '1 microsecond';
end
$function$;

CREATE OR REPLACE FUNCTION public.unpack_numbers(packed bytea, wanted integer)
 RETURNS double precision[]
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
declare
  numbers double precision[] := '{}';
  at integer := (wanted + 1) / 2;
  length integer;
  exponent integer;
  fraction bigint;
  bits bit(64);
begin
  for index in 0 .. wanted - 1 loop
    length := (get_byte(packed, index / 2) >> (case when index % 2 = 0 then 4 else 0 end)) & 15;
    bits := ('x' || rpad(encode(substring(packed from at + 1 for length), 'hex'), 16, '0'))::bit(64);
    at := at + length;
    exponent := substring(bits from 2 for 11)::bit(11)::integer;
    fraction := substring(bits from 13 for 52)::bit(52)::bigint;
    numbers := numbers || (
      (case when get_bit(bits, 0) = 1 then -1 else 1 end)
      * case
          when exponent = 0 then fraction * power(2::double precision, -537) * power(2::double precision, -537)
          -- In two factors, so that neither overflows.
          else (fraction | (1::bigint << 52))::double precision
            * power(2::double precision, (exponent - 1075) / 2) * power(2::double precision, exponent - 1075 - (exponent - 1075) / 2)
        end);
  end loop;
  return numbers;
end
$function$;

CREATE TABLE account_days (
  account_id integer NOT NULL,
  day date NOT NULL,
  trips integer NOT NULL,
  metres_min integer NOT NULL,
  metres_max integer NOT NULL,
  metres_sum bigint NOT NULL,
  seconds_min integer NOT NULL,
  seconds_max integer NOT NULL,
  seconds_sum bigint NOT NULL,
  CONSTRAINT account_days_pkey PRIMARY KEY (account_id, day)
);

CREATE TABLE account_levels (
  account_id integer NOT NULL,
  events double precision NOT NULL,
  at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT account_levels_pkey PRIMARY KEY (account_id),
  CONSTRAINT account_levels_events_check CHECK ((events >= (0)::double precision))
);

CREATE TABLE account_volumes (
  account_id integer NOT NULL,
  week date NOT NULL,
  bytes bigint NOT NULL,
  CONSTRAINT account_volumes_pkey PRIMARY KEY (account_id, week),
  CONSTRAINT account_volumes_bytes_check CHECK ((bytes >= 0))
);

CREATE TABLE accounts (
  id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
  name text NOT NULL,
  created timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  events_per_minute integer,
  volume_mb integer,
  networks text[] DEFAULT '{}'::text[] NOT NULL,
  CONSTRAINT accounts_pkey PRIMARY KEY (id),
  CONSTRAINT accounts_name_key UNIQUE (name),
  CONSTRAINT accounts_events_per_minute_check CHECK ((events_per_minute >= 0)),
  CONSTRAINT accounts_volume_mb_check CHECK ((volume_mb >= 0))
);

CREATE TABLE addresses (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  lat double precision NOT NULL,
  lon double precision NOT NULL,
  texts jsonb DEFAULT '{}'::jsonb NOT NULL,
  found timestamp with time zone,
  geocoded timestamp with time zone,
  asked smallint DEFAULT 0 NOT NULL,
  ask_after timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
  cell_lat integer GENERATED ALWAYS AS ((round((lat * (10000)::double precision)))::integer) STORED,
  cell_lon integer GENERATED ALWAYS AS ((round((lon * (10000)::double precision)))::integer) STORED,
  CONSTRAINT addresses_pkey PRIMARY KEY (id)
);

CREATE TABLE allotments (
  account_id integer NOT NULL,
  imeis int8range NOT NULL,
  created timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT allotments_pkey PRIMARY KEY (imeis),
  CONSTRAINT allotments_imeis_excl EXCLUDE USING gist (imeis WITH &&)
);

CREATE TABLE api_keys (
  id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
  account_id integer NOT NULL,
  name text NOT NULL,
  prefix text NOT NULL,
  hash bytea NOT NULL,
  permissions text[] NOT NULL,
  created timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  expires timestamp with time zone,
  revoked timestamp with time zone,
  made_by_user integer,
  made_by_key integer,
  CONSTRAINT api_keys_pkey PRIMARY KEY (id),
  CONSTRAINT api_keys_hash_key UNIQUE (hash),
  CONSTRAINT api_keys_hash_check CHECK ((octet_length(hash) = 32)),
  CONSTRAINT api_keys_name_check CHECK ((name <> ''::text)),
  CONSTRAINT api_keys_one_maker CHECK (((made_by_user IS NULL) OR (made_by_key IS NULL)))
);

CREATE TABLE area_versions (
  area_id bigint NOT NULL,
  version integer NOT NULL,
  valid_from timestamp with time zone NOT NULL,
  shape jsonb NOT NULL,
  CONSTRAINT area_versions_pkey PRIMARY KEY (area_id, version)
);

CREATE TABLE areas (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  account_id integer NOT NULL,
  name text NOT NULL,
  kind text NOT NULL,
  color text NOT NULL,
  version integer NOT NULL,
  deleted timestamp with time zone,
  modified timestamp with time zone NOT NULL,
  CONSTRAINT areas_pkey PRIMARY KEY (id)
);

CREATE TABLE assignments (
  device_id bigint NOT NULL,
  account_id integer NOT NULL,
  vehicle_id bigint NOT NULL,
  from_time timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
  to_time timestamp with time zone DEFAULT 'infinity'::timestamp with time zone NOT NULL,
  CONSTRAINT assignments_pkey PRIMARY KEY (device_id, from_time),
  CONSTRAINT assignments_check CHECK ((from_time < to_time)),
  CONSTRAINT assignments_device_id_tstzrange_excl EXCLUDE USING gist (device_id WITH =, tstzrange(from_time, to_time) WITH &&)
);

CREATE TABLE chosen_map (
  only_row boolean DEFAULT true NOT NULL,
  choice text NOT NULL,
  CONSTRAINT chosen_map_pkey PRIMARY KEY (only_row),
  CONSTRAINT chosen_map_choice_check CHECK ((choice = ANY (ARRAY['openfreemap'::text, 'openstreetmap'::text, 'file'::text, 'none'::text]))),
  CONSTRAINT chosen_map_only_row_check CHECK (only_row)
);

CREATE TABLE claims (
  device_id bigint NOT NULL,
  account_id integer NOT NULL,
  claimed timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  state text NOT NULL,
  changed timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT claims_pkey PRIMARY KEY (device_id, account_id),
  CONSTRAINT claims_state_check CHECK ((state = ANY (ARRAY['open'::text, 'by key'::text, 'released'::text, 'refused'::text])))
);

CREATE TABLE device_states (
  device_id bigint NOT NULL,
  first_time timestamp with time zone NOT NULL,
  last_time timestamp with time zone NOT NULL,
  last_received timestamp with time zone NOT NULL,
  fold text STORAGE EXTERNAL,
  folded_by smallint DEFAULT 1 NOT NULL,
  trip_id bigint,
  trip_start timestamp with time zone,
  trip_end timestamp with time zone,
  trip_distance_m integer,
  trip_duration_s integer,
  trip_meters jsonb,
  trip_route_kept integer,
  trip_route text STORAGE EXTERNAL,
  trip_modified timestamp with time zone,
  trip_silent_from timestamp with time zone,
  CONSTRAINT device_states_pkey PRIMARY KEY (device_id)
) WITH (fillfactor=50, toast_tuple_target=4080);

CREATE TABLE devices (
  id bigint NOT NULL,
  manufacturer text DEFAULT ''::text NOT NULL,
  hardware_type text DEFAULT ''::text NOT NULL,
  hardware_version text DEFAULT ''::text NOT NULL,
  firmware_version text DEFAULT ''::text NOT NULL,
  is_online boolean DEFAULT false NOT NULL,
  is_plugged_in boolean,
  created timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  modified timestamp with time zone NOT NULL,
  hardware_set text DEFAULT ''::text NOT NULL,
  is_claimed boolean DEFAULT false NOT NULL,
  networks text[] DEFAULT '{}'::text[] NOT NULL,
  deleted timestamp with time zone,
  CONSTRAINT devices_pkey PRIMARY KEY (id),
  CONSTRAINT devices_id_check CHECK ((id > 0))
);

CREATE TABLE dtc_labels (
  code text NOT NULL,
  language text NOT NULL,
  make text DEFAULT ''::text NOT NULL,
  label text NOT NULL,
  CONSTRAINT dtc_labels_pkey PRIMARY KEY (code, language, make),
  CONSTRAINT dtc_labels_label_check CHECK ((label <> ''::text)),
  CONSTRAINT dtc_labels_language_check CHECK ((language = ANY (ARRAY['en'::text, 'de'::text])))
);

CREATE TABLE dtcs (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  device_id bigint NOT NULL,
  account_id integer NOT NULL,
  vehicle_id bigint NOT NULL,
  ecu_type_id integer NOT NULL,
  code text NOT NULL,
  encoded text NOT NULL,
  encoding text NOT NULL,
  dtc_type text NOT NULL,
  recorded timestamp with time zone NOT NULL,
  deleted timestamp with time zone,
  modified timestamp with time zone NOT NULL,
  is_retracted boolean DEFAULT false NOT NULL,
  frame_list text,
  CONSTRAINT dtcs_pkey PRIMARY KEY (device_id, id),
  CONSTRAINT dtcs_dtc_type_check CHECK ((dtc_type = ANY (ARRAY['PERMANENT'::text, 'SPORADIC'::text, 'FREEZEFRAME'::text]))),
  CONSTRAINT dtcs_encoding_check CHECK ((encoding = ANY (ARRAY['HEX'::text, 'DECIMAL'::text, 'PCODE'::text]))),
  CONSTRAINT dtcs_frame_list_check CHECK ((frame_list = ANY (ARRAY['PERMANENT'::text, 'SPORADIC'::text])))
);

CREATE TABLE due (
  device_id bigint NOT NULL,
  kind text NOT NULL,
  from_time timestamp with time zone NOT NULL,
  to_time timestamp with time zone NOT NULL,
  last_time timestamp with time zone,
  received timestamp with time zone,
  priority smallint NOT NULL,
  since timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  version bigint DEFAULT nextval('due_versions'::regclass) NOT NULL,
  CONSTRAINT due_pkey PRIMARY KEY (device_id, kind),
  CONSTRAINT due_kind_check CHECK ((kind = ANY (ARRAY['samples'::text, 'cars'::text, 'history'::text])))
) WITH (fillfactor=50);

CREATE TABLE due_account_days (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  account_id integer NOT NULL,
  day date NOT NULL,
  CONSTRAINT due_account_days_pkey PRIMARY KEY (id)
);

CREATE TABLE failed_logins (
  subject bytea NOT NULL,
  last_failure timestamp with time zone NOT NULL,
  forgiven timestamp with time zone NOT NULL,
  CONSTRAINT failed_logins_pkey PRIMARY KEY (subject),
  CONSTRAINT failed_logins_subject_check CHECK ((octet_length(subject) = 32))
);

CREATE TABLE fold_checkpoints (
  device_id bigint NOT NULL,
  before_time timestamp with time zone NOT NULL,
  state text NOT NULL,
  CONSTRAINT fold_checkpoints_pkey PRIMARY KEY (device_id, before_time)
);

CREATE TABLE former_vehicle_ids (
  account_id integer NOT NULL,
  public_id text COLLATE "C" NOT NULL,
  vehicle_id bigint NOT NULL,
  deleted timestamp with time zone NOT NULL,
  modified timestamp with time zone NOT NULL,
  by_operator boolean DEFAULT false NOT NULL,
  CONSTRAINT former_vehicle_ids_pkey PRIMARY KEY (account_id, public_id)
);

CREATE TABLE incidents (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  device_id bigint NOT NULL,
  account_id integer NOT NULL,
  vehicle_id bigint NOT NULL,
  rule_id integer NOT NULL,
  rule_version integer NOT NULL,
  kind text NOT NULL,
  severity text NOT NULL,
  area_id bigint DEFAULT 0 NOT NULL,
  detail text DEFAULT ''::text NOT NULL,
  start_time timestamp with time zone NOT NULL,
  end_time timestamp with time zone,
  decided_time timestamp with time zone NOT NULL,
  longest_gap_s integer NOT NULL,
  peak double precision,
  peak_time timestamp with time zone,
  start_longitude double precision,
  start_latitude double precision,
  end_longitude double precision,
  end_latitude double precision,
  start_address_id bigint,
  end_address_id bigint,
  acknowledged timestamp with time zone,
  acknowledged_by text,
  note text,
  is_erased boolean DEFAULT false NOT NULL,
  modified timestamp with time zone NOT NULL,
  deleted timestamp with time zone,
  has_odometer boolean DEFAULT false NOT NULL,
  superseded_by bigint,
  CONSTRAINT incidents_pkey PRIMARY KEY (device_id, id)
);

CREATE TABLE known_networks (
  user_id integer NOT NULL,
  network bytea NOT NULL,
  last_login timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT known_networks_pkey PRIMARY KEY (user_id, network),
  CONSTRAINT known_networks_network_check CHECK ((octet_length(network) = 32))
);

CREATE TABLE latest_values (
  device_id bigint NOT NULL,
  vehicle_id bigint NOT NULL,
  types smallint[] NOT NULL,
  times bigint[] NOT NULL,
  numbers double precision[] NOT NULL,
  texts text[] NOT NULL,
  modified timestamp with time zone NOT NULL,
  CONSTRAINT latest_values_pkey PRIMARY KEY (device_id, vehicle_id)
) WITH (fillfactor=50);

CREATE TABLE layouts (
  id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
  types smallint[] NOT NULL,
  account_id integer,
  newest timestamp with time zone DEFAULT (clock_timestamp() + '00:05:00'::interval) NOT NULL,
  used_on date DEFAULT CURRENT_DATE NOT NULL,
  CONSTRAINT layouts_pkey PRIMARY KEY (id),
  CONSTRAINT layouts_types_key UNIQUE (types)
);

CREATE TABLE login_guesses (
  subject bytea NOT NULL,
  forgiven timestamp with time zone NOT NULL,
  CONSTRAINT login_guesses_pkey PRIMARY KEY (subject),
  CONSTRAINT login_guesses_subject_check CHECK ((octet_length(subject) = 32))
);

CREATE TABLE migrations (
  number integer NOT NULL,
  name text NOT NULL,
  checksum text NOT NULL,
  applied timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT migrations_pkey PRIMARY KEY (number)
);

CREATE TABLE misdated_samples (
  device_id bigint NOT NULL,
  time_ms bigint NOT NULL,
  content bytea NOT NULL,
  received timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  types smallint[] NOT NULL,
  numbers double precision[] NOT NULL,
  texts text[] NOT NULL,
  CONSTRAINT misdated_samples_pkey PRIMARY KEY (device_id, time_ms, content),
  CONSTRAINT misdated_samples_content_check CHECK ((octet_length(content) = 16))
);

CREATE TABLE operator_moves (
  device_id bigint NOT NULL,
  at_time timestamp with time zone NOT NULL,
  vehicle_id bigint NOT NULL,
  is_new_vehicle boolean NOT NULL,
  CONSTRAINT operator_moves_pkey PRIMARY KEY (device_id, at_time)
);

CREATE TABLE rejected_frames (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  received timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  gateway text NOT NULL,
  device_id bigint,
  sender text NOT NULL,
  why text NOT NULL,
  byte_count integer NOT NULL,
  bytes bytea NOT NULL,
  reason text DEFAULT 'unreadable'::text NOT NULL,
  CONSTRAINT rejected_frames_pkey PRIMARY KEY (id),
  CONSTRAINT rejected_frames_reason_check CHECK ((reason = ANY (ARRAY['unreadable'::text, 'unknown device'::text, 'claimed device'::text, 'network'::text, 'not stored'::text])))
);

CREATE TABLE restores (
  restored timestamp with time zone NOT NULL,
  restored_to timestamp with time zone NOT NULL,
  CONSTRAINT restores_pkey PRIMARY KEY (restored)
);

CREATE TABLE retention (
  only_row boolean DEFAULT true NOT NULL,
  kept_since timestamp with time zone NOT NULL,
  CONSTRAINT retention_pkey PRIMARY KEY (only_row),
  CONSTRAINT retention_only_row_check CHECK (only_row)
);

CREATE TABLE rule_books (
  account_id integer NOT NULL,
  revision timestamp with time zone NOT NULL,
  CONSTRAINT rule_books_pkey PRIMARY KEY (account_id)
);

CREATE TABLE rule_changes (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  account_id integer NOT NULL,
  from_time timestamp with time zone NOT NULL,
  vehicle_ids bigint[],
  seen timestamp with time zone,
  CONSTRAINT rule_changes_pkey PRIMARY KEY (id)
);

CREATE TABLE rule_versions (
  rule_id integer NOT NULL,
  version integer NOT NULL,
  account_id integer NOT NULL,
  kind text NOT NULL,
  parameters jsonb NOT NULL,
  severity text NOT NULL,
  from_time timestamp with time zone NOT NULL,
  to_time timestamp with time zone DEFAULT 'infinity'::timestamp with time zone NOT NULL,
  vehicle_ids bigint[],
  hours jsonb,
  saved timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  saved_by text NOT NULL,
  CONSTRAINT rule_versions_pkey PRIMARY KEY (rule_id, version),
  CONSTRAINT rule_versions_severity_check CHECK ((severity = ANY (ARRAY['info'::text, 'warning'::text, 'critical'::text])))
);

CREATE TABLE rules (
  id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
  account_id integer NOT NULL,
  name text NOT NULL,
  version integer NOT NULL,
  created timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  modified timestamp with time zone NOT NULL,
  deleted timestamp with time zone,
  CONSTRAINT rules_pkey PRIMARY KEY (id)
);

CREATE TABLE samples (
  device_id bigint NOT NULL,
  "time" timestamp with time zone NOT NULL,
  stored timestamp with time zone NOT NULL,
  layout_id integer NOT NULL,
  numbers bytea,
  texts text[],
  CONSTRAINT samples_pkey PRIMARY KEY (device_id, "time")
) PARTITION BY RANGE ("time");

CREATE TABLE sealed_days (
  device_id bigint NOT NULL,
  day date NOT NULL,
  version bigint GENERATED BY DEFAULT AS IDENTITY NOT NULL,
  samples_count integer NOT NULL,
  values_count integer NOT NULL,
  first_stored timestamp with time zone NOT NULL,
  last_stored timestamp with time zone NOT NULL,
  layout_ids integer[] NOT NULL,
  body bytea STORAGE EXTERNAL NOT NULL,
  rollup bytea STORAGE EXTERNAL NOT NULL,
  CONSTRAINT sealed_days_pkey PRIMARY KEY (device_id, day)
);

CREATE TABLE sealing_paused (
  only_row boolean DEFAULT true NOT NULL,
  since timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT sealing_paused_pkey PRIMARY KEY (only_row),
  CONSTRAINT sealing_paused_only_row_check CHECK (only_row)
);

CREATE TABLE security_log (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  account_id integer NOT NULL,
  "time" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  kind text NOT NULL,
  caller_kind text NOT NULL,
  caller_id integer,
  caller_name text NOT NULL,
  address text,
  details jsonb DEFAULT '{}'::jsonb NOT NULL,
  once bytea,
  CONSTRAINT security_log_pkey PRIMARY KEY (id),
  CONSTRAINT security_log_caller_kind_check CHECK ((caller_kind = ANY (ARRAY['user'::text, 'key'::text, 'service'::text]))),
  CONSTRAINT security_log_once_check CHECK ((octet_length(once) = 32))
);

CREATE TABLE sweeps (
  name text NOT NULL,
  last_run timestamp with time zone NOT NULL,
  steady_since timestamp with time zone NOT NULL,
  CONSTRAINT sweeps_pkey PRIMARY KEY (name)
);

CREATE TABLE tokens (
  hash bytea NOT NULL,
  kind text NOT NULL,
  user_id integer NOT NULL,
  created timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  expires timestamp with time zone NOT NULL,
  login uuid NOT NULL,
  rotates boolean DEFAULT false NOT NULL,
  parent bytea,
  used timestamp with time zone,
  CONSTRAINT tokens_pkey PRIMARY KEY (hash),
  CONSTRAINT tokens_hash_check CHECK ((octet_length(hash) = 32)),
  CONSTRAINT tokens_kind_check CHECK ((kind = ANY (ARRAY['access'::text, 'refresh'::text]))),
  CONSTRAINT tokens_parent_check CHECK ((octet_length(parent) = 32))
);

CREATE TABLE trips (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  device_id bigint NOT NULL,
  account_id integer NOT NULL,
  vehicle_id bigint NOT NULL,
  start_time timestamp with time zone NOT NULL,
  end_time timestamp with time zone NOT NULL,
  is_open boolean DEFAULT false NOT NULL,
  distance_m integer NOT NULL,
  duration_s integer NOT NULL,
  start_address_id bigint,
  end_address_id bigint,
  meters jsonb DEFAULT '{}'::jsonb NOT NULL,
  polyline text DEFAULT ''::text NOT NULL,
  deleted timestamp with time zone,
  modified timestamp with time zone NOT NULL,
  fix_count integer DEFAULT 0 NOT NULL,
  superseded_by bigint,
  CONSTRAINT trips_pkey PRIMARY KEY (device_id, id),
  CONSTRAINT trips_check CHECK ((start_time <= end_time)),
  CONSTRAINT trips_superseded_are_deleted CHECK (((superseded_by IS NULL) OR (deleted IS NOT NULL)))
);

CREATE TABLE users (
  id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
  account_id integer NOT NULL,
  email text NOT NULL,
  password_hash text NOT NULL,
  permissions text[] NOT NULL,
  created timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  revoked timestamp with time zone,
  last_login timestamp with time zone,
  CONSTRAINT users_pkey PRIMARY KEY (id),
  CONSTRAINT users_email_check CHECK ((email <> ''::text)),
  CONSTRAINT users_password_hash_check CHECK ((password_hash ~~ '$argon2id$%'::text))
);

CREATE TABLE vehicle_days (
  account_id integer NOT NULL,
  vehicle_id bigint NOT NULL,
  day date NOT NULL,
  trips integer NOT NULL,
  metres_min integer NOT NULL,
  metres_max integer NOT NULL,
  metres_sum bigint NOT NULL,
  seconds_min integer NOT NULL,
  seconds_max integer NOT NULL,
  seconds_sum bigint NOT NULL,
  odometer_start bigint,
  odometer_end bigint,
  first_reading bigint,
  last_reading bigint,
  first_read_at timestamp with time zone,
  last_read_at timestamp with time zone,
  odometer_jump bigint NOT NULL,
  CONSTRAINT vehicle_days_pkey PRIMARY KEY (vehicle_id, day)
);

CREATE TABLE vehicles (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  account_id integer NOT NULL,
  first_device_id bigint NOT NULL,
  vin text,
  public_id text COLLATE "C" GENERATED ALWAYS AS (COALESCE(('VIN'::text || vin), ('IMEI_'::text || first_device_id))) STORED NOT NULL,
  tecdoc_make_id integer DEFAULT 0 NOT NULL,
  tecdoc_model_id integer DEFAULT 0 NOT NULL,
  tecdoc_vehicle_id integer DEFAULT 0 NOT NULL,
  make text DEFAULT ''::text NOT NULL,
  model text DEFAULT ''::text NOT NULL,
  vehicle text DEFAULT ''::text NOT NULL,
  fuel_type text DEFAULT ''::text NOT NULL,
  kba text DEFAULT ''::text NOT NULL,
  license_plate text DEFAULT ''::text NOT NULL,
  alarm_system boolean,
  alarm_system_set timestamp with time zone,
  deleted timestamp with time zone,
  created timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  modified timestamp with time zone NOT NULL,
  vin_by_operator boolean DEFAULT false NOT NULL,
  make_by_operator boolean DEFAULT false NOT NULL,
  fuel_type_set text DEFAULT ''::text NOT NULL,
  color text DEFAULT ''::text NOT NULL,
  car_group text DEFAULT ''::text NOT NULL,
  CONSTRAINT vehicles_pkey PRIMARY KEY (id),
  CONSTRAINT vehicles_account_id_public_id_key UNIQUE (account_id, public_id),
  CONSTRAINT vehicles_vin_check CHECK ((vin ~ '^[A-HJ-NPR-Z0-9]{17}$'::text))
);

CREATE TABLE vin_runs (
  device_id bigint NOT NULL,
  first_time timestamp with time zone NOT NULL,
  boundary timestamp with time zone NOT NULL,
  vin text NOT NULL,
  is_confirmed boolean NOT NULL,
  CONSTRAINT vin_runs_pkey PRIMARY KEY (device_id, first_time)
);

ALTER TABLE account_levels ADD CONSTRAINT account_levels_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
ALTER TABLE account_volumes ADD CONSTRAINT account_volumes_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
ALTER TABLE allotments ADD CONSTRAINT allotments_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
ALTER TABLE api_keys ADD CONSTRAINT api_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
ALTER TABLE api_keys ADD CONSTRAINT api_keys_made_by_key_fkey FOREIGN KEY (made_by_key) REFERENCES api_keys(id);
ALTER TABLE api_keys ADD CONSTRAINT api_keys_made_by_user_fkey FOREIGN KEY (made_by_user) REFERENCES users(id);
ALTER TABLE area_versions ADD CONSTRAINT area_versions_area_id_fkey FOREIGN KEY (area_id) REFERENCES areas(id);
ALTER TABLE areas ADD CONSTRAINT areas_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
ALTER TABLE assignments ADD CONSTRAINT assignments_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
ALTER TABLE assignments ADD CONSTRAINT assignments_device_id_fkey FOREIGN KEY (device_id) REFERENCES devices(id);
ALTER TABLE assignments ADD CONSTRAINT assignments_vehicle_id_fkey FOREIGN KEY (vehicle_id) REFERENCES vehicles(id);
ALTER TABLE claims ADD CONSTRAINT claims_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
ALTER TABLE device_states ADD CONSTRAINT device_states_device_id_fkey FOREIGN KEY (device_id) REFERENCES devices(id);
ALTER TABLE dtcs ADD CONSTRAINT dtcs_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
ALTER TABLE dtcs ADD CONSTRAINT dtcs_device_id_fkey FOREIGN KEY (device_id) REFERENCES devices(id);
ALTER TABLE dtcs ADD CONSTRAINT dtcs_vehicle_id_fkey FOREIGN KEY (vehicle_id) REFERENCES vehicles(id);
ALTER TABLE former_vehicle_ids ADD CONSTRAINT former_vehicle_ids_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
ALTER TABLE former_vehicle_ids ADD CONSTRAINT former_vehicle_ids_vehicle_id_fkey FOREIGN KEY (vehicle_id) REFERENCES vehicles(id);
ALTER TABLE known_networks ADD CONSTRAINT known_networks_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
ALTER TABLE latest_values ADD CONSTRAINT latest_values_device_id_fkey FOREIGN KEY (device_id) REFERENCES devices(id);
ALTER TABLE latest_values ADD CONSTRAINT latest_values_vehicle_id_fkey FOREIGN KEY (vehicle_id) REFERENCES vehicles(id);
ALTER TABLE layouts ADD CONSTRAINT layouts_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
ALTER TABLE misdated_samples ADD CONSTRAINT misdated_samples_device_id_fkey FOREIGN KEY (device_id) REFERENCES devices(id);
ALTER TABLE operator_moves ADD CONSTRAINT operator_moves_device_id_fkey FOREIGN KEY (device_id) REFERENCES devices(id);
ALTER TABLE operator_moves ADD CONSTRAINT operator_moves_vehicle_id_fkey FOREIGN KEY (vehicle_id) REFERENCES vehicles(id);
ALTER TABLE rule_books ADD CONSTRAINT rule_books_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
ALTER TABLE rule_changes ADD CONSTRAINT rule_changes_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
ALTER TABLE rule_versions ADD CONSTRAINT rule_versions_rule_id_fkey FOREIGN KEY (rule_id) REFERENCES rules(id);
ALTER TABLE rules ADD CONSTRAINT rules_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
ALTER TABLE tokens ADD CONSTRAINT tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
ALTER TABLE trips ADD CONSTRAINT trips_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
ALTER TABLE trips ADD CONSTRAINT trips_device_id_fkey FOREIGN KEY (device_id) REFERENCES devices(id);
ALTER TABLE trips ADD CONSTRAINT trips_end_address_id_fkey FOREIGN KEY (end_address_id) REFERENCES addresses(id);
ALTER TABLE trips ADD CONSTRAINT trips_start_address_id_fkey FOREIGN KEY (start_address_id) REFERENCES addresses(id);
ALTER TABLE trips ADD CONSTRAINT trips_vehicle_id_fkey FOREIGN KEY (vehicle_id) REFERENCES vehicles(id);
ALTER TABLE users ADD CONSTRAINT users_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
ALTER TABLE vehicles ADD CONSTRAINT vehicles_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
ALTER TABLE vehicles ADD CONSTRAINT vehicles_first_device_id_fkey FOREIGN KEY (first_device_id) REFERENCES devices(id);
ALTER TABLE vin_runs ADD CONSTRAINT vin_runs_device_id_fkey FOREIGN KEY (device_id) REFERENCES devices(id);

CREATE INDEX addresses_by_cell ON public.addresses USING btree (cell_lat, cell_lon);
CREATE UNIQUE INDEX addresses_by_place ON public.addresses USING btree (lat, lon);
CREATE INDEX addresses_to_ask ON public.addresses USING btree (ask_after, id DESC) WHERE (geocoded IS NULL);
CREATE INDEX addresses_waiting ON public.addresses USING btree (id) WHERE (found IS NULL);
CREATE INDEX api_keys_by_key ON public.api_keys USING btree (made_by_key) WHERE (made_by_key IS NOT NULL);
CREATE INDEX api_keys_by_user ON public.api_keys USING btree (made_by_user) WHERE (made_by_user IS NOT NULL);
CREATE INDEX areas_by_account ON public.areas USING btree (account_id, id);
CREATE INDEX areas_by_account_modified ON public.areas USING btree (account_id, modified);
CREATE INDEX assignments_by_account ON public.assignments USING btree (account_id);
CREATE INDEX assignments_by_vehicle ON public.assignments USING btree (vehicle_id);
CREATE INDEX claims_by_state ON public.claims USING btree (state, claimed);
CREATE INDEX device_states_folded_by ON public.device_states USING btree (folded_by, device_id);
CREATE INDEX dtcs_by_account_modified ON public.dtcs USING btree (account_id, modified);
CREATE INDEX dtcs_by_account_recorded ON public.dtcs USING btree (account_id, recorded, id);
CREATE INDEX dtcs_by_device ON public.dtcs USING btree (device_id, recorded) WHERE (NOT is_retracted);
CREATE INDEX dtcs_by_vehicle ON public.dtcs USING btree (vehicle_id, recorded, id);
CREATE INDEX dtcs_erased ON public.dtcs USING btree (deleted) WHERE (code = ''::text);
CREATE INDEX due_account_days_by_account ON public.due_account_days USING btree (account_id, day);
CREATE INDEX failed_logins_by_forgiven ON public.failed_logins USING btree (forgiven);
CREATE INDEX incidents_by_account_modified ON public.incidents USING btree (account_id, modified);
CREATE INDEX incidents_by_account_start ON public.incidents USING btree (account_id, start_time, id);
CREATE INDEX incidents_by_device_decided ON public.incidents USING btree (device_id, decided_time) WHERE ((deleted IS NULL) OR (superseded_by IS NOT NULL));
CREATE INDEX incidents_by_end_address ON public.incidents USING btree (end_address_id);
CREATE INDEX incidents_by_id ON public.incidents USING btree (id);
CREATE UNIQUE INDEX incidents_by_key ON public.incidents USING btree (device_id, vehicle_id, rule_id, start_time, area_id, detail) WHERE (NOT is_erased);
CREATE INDEX incidents_by_start_address ON public.incidents USING btree (start_address_id);
CREATE INDEX incidents_by_superseding ON public.incidents USING btree (superseded_by) WHERE (superseded_by IS NOT NULL);
CREATE INDEX incidents_by_vehicle ON public.incidents USING btree (vehicle_id, start_time, id);
CREATE INDEX incidents_erased ON public.incidents USING btree (deleted) WHERE is_erased;
CREATE INDEX incidents_open ON public.incidents USING btree (device_id) WHERE ((end_time IS NULL) AND ((deleted IS NULL) OR (superseded_by IS NOT NULL)));
CREATE INDEX latest_values_by_vehicle ON public.latest_values USING btree (vehicle_id);
CREATE INDEX layouts_by_account ON public.layouts USING btree (account_id);
CREATE INDEX login_guesses_by_forgiven ON public.login_guesses USING btree (forgiven);
CREATE INDEX operator_moves_by_vehicle ON public.operator_moves USING btree (vehicle_id);
CREATE INDEX rule_versions_by_account ON public.rule_versions USING btree (account_id);
CREATE INDEX rules_by_account ON public.rules USING btree (account_id, id);
CREATE INDEX rules_by_account_modified ON public.rules USING btree (account_id, modified);
CREATE INDEX samples_by_time ON ONLY public.samples USING brin ("time", stored) WITH (pages_per_range='16', autosummarize='on');
CREATE INDEX sealed_days_by_day ON public.sealed_days USING btree (day);
CREATE INDEX sealed_days_by_stored ON public.sealed_days USING btree (last_stored);
CREATE INDEX security_log_by_account ON public.security_log USING btree (account_id, "time", id);
CREATE INDEX security_log_by_caller ON public.security_log USING btree (account_id, lower(caller_name), "time", id);
CREATE INDEX security_log_by_kind ON public.security_log USING btree (account_id, kind, "time", id);
CREATE INDEX security_log_by_time ON public.security_log USING btree ("time");
CREATE UNIQUE INDEX security_log_once ON public.security_log USING btree (once) WHERE (once IS NOT NULL);
CREATE INDEX tokens_by_expiry ON public.tokens USING btree (expires);
CREATE INDEX tokens_by_login ON public.tokens USING btree (login);
CREATE INDEX tokens_by_parent ON public.tokens USING btree (parent) WHERE (parent IS NOT NULL);
CREATE INDEX tokens_by_user ON public.tokens USING btree (user_id);
CREATE INDEX trips_by_account_modified ON public.trips USING btree (account_id, modified);
CREATE INDEX trips_by_account_start ON public.trips USING btree (account_id, start_time, id);
CREATE INDEX trips_by_device_start ON public.trips USING btree (device_id, start_time) WHERE ((deleted IS NULL) OR (superseded_by IS NOT NULL));
CREATE INDEX trips_by_end_address ON public.trips USING btree (end_address_id);
CREATE INDEX trips_by_id ON public.trips USING btree (id);
CREATE INDEX trips_by_start_address ON public.trips USING btree (start_address_id);
CREATE INDEX trips_by_superseder ON public.trips USING btree (superseded_by) WHERE (superseded_by IS NOT NULL);
CREATE INDEX trips_by_vehicle_start ON public.trips USING btree (vehicle_id, start_time, id);
CREATE INDEX trips_erased ON public.trips USING btree (deleted) WHERE (start_time = deleted);
CREATE INDEX trips_open ON public.trips USING btree (device_id) WHERE is_open;
CREATE INDEX trips_open_by_account ON public.trips USING btree (account_id, start_time) WHERE is_open;
CREATE UNIQUE INDEX users_by_email ON public.users USING btree (lower(email)) WHERE (revoked IS NULL);
CREATE INDEX vehicle_days_by_account ON public.vehicle_days USING btree (account_id, day);
CREATE INDEX vehicles_by_first_device ON public.vehicles USING btree (first_device_id);
CREATE INDEX vin_runs_by_vin ON public.vin_runs USING btree (vin);

CREATE TRIGGER security_log_is_kept BEFORE DELETE OR UPDATE ON public.security_log FOR EACH ROW EXECUTE FUNCTION keep_security_log();
CREATE TRIGGER security_log_is_not_emptied BEFORE TRUNCATE ON public.security_log FOR EACH STATEMENT EXECUTE FUNCTION keep_security_log();

CREATE VIEW trips_shown AS
 SELECT id,
    device_id,
    account_id,
    vehicle_id,
    start_time,
    end_time,
    is_open,
        CASE
            WHEN superseded_by IS NULL THEN distance_m
            ELSE 0
        END AS distance_m,
        CASE
            WHEN superseded_by IS NULL THEN duration_s
            ELSE 0
        END AS duration_s,
    start_address_id,
    end_address_id,
        CASE
            WHEN superseded_by IS NULL THEN meters
            ELSE '{}'::jsonb
        END AS meters,
        CASE
            WHEN superseded_by IS NULL THEN polyline
            ELSE ''::text
        END AS polyline,
    deleted,
    superseded_by,
    modified
   FROM trips;

CREATE VIEW trips_open_now AS
 SELECT t.id,
    t.device_id,
    t.account_id,
    t.vehicle_id,
    t.start_time,
    COALESCE(r.trip_end, t.end_time) AS end_time,
    t.is_open,
    COALESCE(r.trip_distance_m, t.distance_m) AS distance_m,
    COALESCE(r.trip_duration_s, t.duration_s) AS duration_s,
    t.start_address_id,
    t.end_address_id,
    COALESCE(r.trip_meters, t.meters) AS meters,
        CASE
            WHEN r.trip_route IS NULL THEN t.polyline
            ELSE "left"(t.polyline, r.trip_route_kept) || r.trip_route
        END AS polyline,
    t.deleted,
    t.superseded_by,
    GREATEST(t.modified, r.trip_modified) AS modified
   FROM trips_shown t
     LEFT JOIN device_states r ON r.device_id = t.device_id AND r.trip_id = t.id AND t.superseded_by IS NULL
  WHERE t.is_open;

CREATE VIEW trips_now AS
 SELECT trips_shown.id,
    trips_shown.device_id,
    trips_shown.account_id,
    trips_shown.vehicle_id,
    trips_shown.start_time,
    trips_shown.end_time,
    trips_shown.is_open,
    trips_shown.distance_m,
    trips_shown.duration_s,
    trips_shown.start_address_id,
    trips_shown.end_address_id,
    trips_shown.meters,
    trips_shown.polyline,
    trips_shown.deleted,
    trips_shown.superseded_by,
    trips_shown.modified
   FROM trips_shown
  WHERE NOT trips_shown.is_open
UNION ALL
 SELECT trips_open_now.id,
    trips_open_now.device_id,
    trips_open_now.account_id,
    trips_open_now.vehicle_id,
    trips_open_now.start_time,
    trips_open_now.end_time,
    trips_open_now.is_open,
    trips_open_now.distance_m,
    trips_open_now.duration_s,
    trips_open_now.start_address_id,
    trips_open_now.end_address_id,
    trips_open_now.meters,
    trips_open_now.polyline,
    trips_open_now.deleted,
    trips_open_now.superseded_by,
    trips_open_now.modified
   FROM trips_open_now;
