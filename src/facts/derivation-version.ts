/**
 * The version of the rules by which trips follow from samples: everything in `trips/`. Each device remembers by which one
 * its history was folded (`device_states.folded_by`); one that is older is folded again in the background
 * (docs/adr/0016).
 *
 * Raise it by one with every release whose fold may tell anything else of the same samples: other trips, ends, distances,
 * routes, meters or VIN runs, or states that are written in another form. A database knows it as a smallint; 1 is what was
 * there before versions were kept.
 */
export const DERIVATION_VERSION = 6
