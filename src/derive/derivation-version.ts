/**
 * The version of the rules by which trips follow from samples: everything in `trips/`. Each device remembers by which one
 * its history was folded (`device_states.folded_by`); one that is older is folded again in the background
 * (docs/adr/0016).
 *
 * Increment it with every release whose fold may give different results for the same samples: trips, ends, distances,
 * routes, meters or VIN runs, or states in another format. It is stored as a smallint; 1 is what was
 * there before versions were stored.
 */
export const DERIVATION_VERSION = 17
