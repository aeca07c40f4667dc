/* The only way to the samples: nobody outside knows which of them are rows and which are sealed (README.md). */

// Append and merge.
export {
  append,
  dropMisdatedBefore,
  encodeSamples,
  insertSamples,
  keepMisdated,
  type Receipt,
  readSamplesAt,
  replaceSamples,
} from './append.ts'
// Tables, and what is dropped.
export { eraseSamples, storedBytesOf } from './erase.ts'
// Read.
export {
  type Fixes,
  type FixesWanted,
  type FoundFix,
  readFixesOfIntervals,
  readFixesWithin,
  type TimedFix,
} from './fixes.ts'
export { holdKeptSince, Partitions, readKeptSince } from './partitions.ts'
export {
  readAhead,
  readFleetSamples,
  readNewestOfLayouts,
  readNewestWith,
  readOldestWith,
  readSamples,
  readSamplesFrom,
  readStretch,
} from './read.ts'
export { readStoredSamples, type StoredPosition, storedPositionOf } from './read-stored.ts'
// Rollups by hour.
export { HourColumns, type HourRollup } from './rollups/hours.ts'
export { findWrongRollups, isRolledUp, writeRollup } from './rollups/keep.ts'
export { readRolledSeries } from './rollups/series.ts'
export {
  type Interval,
  numberOf,
  numbersOf,
  type RawConnection,
  type RawSample,
  type SampleSource,
  sampleOfRaw,
  textsOf,
  withRawConnection,
} from './samples.ts'
// Seal.
export { type StoredSample, samplesOfBody, sealedBodyOf } from './sealed/body.ts'
export { dayStartMs } from './sealed/days.ts'
export {
  isSealingPaused,
  nextDayToSeal,
  pauseSealing,
  readSealedDayFigures,
  readSealedFigures,
  type SealedDayFigures,
  type SealedFigures,
  sealDay,
} from './sealed/seal.ts'
export { spanOfTable } from './tables.ts'
