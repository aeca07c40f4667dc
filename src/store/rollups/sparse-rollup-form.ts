import { powerOf } from '../sealed/decimals.ts'
import { atScale } from './decimal-sum.ts'
import { HOUR_MS } from './hour-rollup.ts'
import { ROLLUP_VERSION } from './rollup-body.ts'
import { longOf, type RollupForm } from './rollup-form.ts'

/** Rollups as they are written: an hour that is like the one before takes a bit. */
export const SPARSE_FORM: RollupForm = {
  version: ROLLUP_VERSION,

  bytesOf: body => body.subarray(1),

  addGroup(reader, { into, dayMs, unitMs }) {
    const [withValues, others] = [reader.whole(), reader.whole()]
    let place = into.add(bitsIn(withValues))
    const [counts, firstMs, lastMs] = [into.column('count'), into.column('firstMs'), into.column('lastMs')]
    let [count, first, length] = [0, 0, 0]
    let other = 1
    for (let hour = 0; withValues >> hour > 0; hour++) {
      if (((withValues >> hour) & 1) === 0) continue
      if ((others & other) > 0) {
        count = reader.whole()
        first = reader.whole() * unitMs
        length = reader.whole() * unitMs
      }
      other <<= 1
      counts[place] = count
      firstMs[place] = dayMs + hour * HOUR_MS + first
      lastMs[place] = dayMs + hour * HOUR_MS + first + length
      place++
    }
  },

  readDecimals(reader, scale, { into, start, unitMs }) {
    const power = powerOf(scale)
    const [firsts, lowests] = [into.column('first'), into.column('lowest')]
    const [highests, lasts] = [into.column('highest'), into.column('last')]
    const [firstMs, lowestMs, highestMs] = [into.column('firstMs'), into.column('lowestMs'), into.column('highestMs')]
    const moving = reader.whole()
    let [before, value] = [0, 0]
    for (let place = start, bit = 1; place < into.length; place++, bit <<= 1) {
      const atMs = firstMs[place] as number
      if ((moving & bit) === 0) {
        firsts[place] = lowests[place] = highests[place] = lasts[place] = value
        lowestMs[place] = highestMs[place] = atMs
        continue
      }
      const first = before + reader.signed()
      const [down, up] = [reader.whole(), reader.whole()]
      before = first + reader.signed()
      value = before / power
      firsts[place] = first / power
      lowests[place] = (first - down) / power
      highests[place] = (first + up) / power
      lasts[place] = value
      lowestMs[place] = down > 0 ? atMs + reader.whole() * unitMs : atMs
      highestMs[place] = up > 0 ? atMs + reader.whole() * unitMs : atMs
    }
    return () => {
      const sumScale = reader.whole()
      const counts = into.column('count')
      return Array.from({ length: into.length - start }, (_, index) => {
        const place = start + index
        const first = BigInt(Math.round((firsts[place] as number) * power))
        const asFirst = atScale({ whole: BigInt(counts[place] as number) * first, scale }, sumScale)
        return { whole: ((moving >> index) & 1) === 0 ? asFirst : asFirst + longOf(reader), scale: sumScale }
      })
    }
  },
}

function bitsIn(bits: number): number {
  let count = 0
  for (let rest = bits; rest > 0; rest &= rest - 1) count++
  return count
}
