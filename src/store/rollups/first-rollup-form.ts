import { inflateRawSync } from 'node:zlib'
import { powerOf } from '../sealed/decimals.ts'
import { HOUR_MS } from './hour-rollup.ts'
import { type RollupForm, readEndTimes, readSums } from './rollup-form.ts'

/**
 * Rollups of version 1, which are read and no longer written: each hour has all its numbers, and all types were deflated together, so
 * reading one inflates all of them (docs/adr/0039).
 */
export const FIRST_FORM: RollupForm = {
  version: 1,

  bytesOf(body) {
    const bytes = body.subarray(2)
    return body[1] === 1 ? inflateRawSync(bytes) : bytes
  },

  addGroup(reader, { into, dayMs, unitMs }) {
    const start = into.add(reader.whole())
    const end = into.length
    const [count, firstMs, lastMs] = [into.column('count'), into.column('firstMs'), into.column('lastMs')]
    let hourMs = dayMs
    for (let place = start; place < end; place++) firstMs[place] = hourMs += reader.whole() * HOUR_MS
    for (let place = start; place < end; place++) count[place] = reader.whole()
    for (let place = start; place < end; place++) firstMs[place] = (firstMs[place] as number) + reader.whole() * unitMs
    for (let place = start; place < end; place++) lastMs[place] = (firstMs[place] as number) + reader.whole() * unitMs
  },

  readDecimals(reader, scale, hours) {
    const { into, start } = hours
    const power = powerOf(scale)
    const [firsts, lowests] = [into.column('first'), into.column('lowest')]
    const [highests, lasts] = [into.column('highest'), into.column('last')]
    let before = 0
    for (let place = start; place < into.length; place++) {
      const first = before + reader.signed()
      firsts[place] = first / power
      lowests[place] = (first - reader.whole()) / power
      highests[place] = (first + reader.whole()) / power
      before = first + reader.signed()
      lasts[place] = before / power
    }
    readEndTimes(reader, hours)
    return () => readSums(reader, into.length - start)
  },
}
