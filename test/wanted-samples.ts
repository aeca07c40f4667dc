import { eventTypeById } from '../src/catalogue/event-types.ts'
import { type Sample, valueIn } from '../src/model/sample.ts'
import type { WantedSamples } from '../src/store/occasions/read-occasions.ts'

/** What the database finds, said in a few words. */
export function isWanted({ types, above, below, boxes }: WantedSamples): (sample: Sample) => boolean {
  return sample =>
    types.some(id => {
      const value = valueIn(sample, eventTypeById(id))
      if (value === undefined || typeof value === 'string') return value !== undefined
      if (typeof value !== 'object') {
        const number = Number(value)
        return (above === undefined || number > above) && (below === undefined || number < below)
      }
      const { lon, lat } = value
      return !boxes || boxes.some(box => lon > box.west && lon < box.east && lat > box.south && lat < box.north)
    })
}
