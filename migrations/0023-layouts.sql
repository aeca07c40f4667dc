-- Sets of event types are called layouts, as in docs/glossary.md. Renaming touches no row.
alter table shapes rename to layouts;
alter table layouts rename constraint shapes_pkey to layouts_pkey;
alter table layouts rename constraint shapes_types_key to layouts_types_key;
alter table layouts rename constraint shapes_account_id_fkey to layouts_account_id_fkey;
alter index shapes_by_account rename to layouts_by_account;
alter sequence shapes_id_seq rename to layouts_id_seq;
alter table samples rename column shape_id to layout_id;
